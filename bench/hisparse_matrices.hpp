// The matrices of HiSparse's Figure 4, for stand-ins.
#pragma once

#include <string>
#include <vector>

#include "bench/paper_matrices.hpp"

namespace copse::bench {

/// In the order of the figure. It prints rounded numbers: dimensions and entries are those of the collection's
/// matrices, which agree with it (explicit zeros counted); means and longest rows are as it prints them, shortest
/// rows, which it does not print, are of one entry or none. `special` is the authors' own: all that is known of it is
/// what is printed.
std::vector<paper_matrix> const& hisparse_matrices();

}  // namespace copse::bench
