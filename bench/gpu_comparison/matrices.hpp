// Matrices as the programs of this folder name them: files, generators, and stand-ins for those of HiSparse's paper.
#pragma once

#include <copse/formats/csr.hpp>
#include <string>
#include <vector>

namespace copse::bench {

/// "hisparse:FullChip": a stand-in (stand_in.hpp); everything else as load_matrix takes it. Throws
/// argument_error for a matrix that the paper does not have, and what load_matrix throws.
template <class T>
csr<T> load_for_gpu(std::string const& name);

/// All matrices of the paper's Figure 4; `few`: those with fewer than 30 million entries, 11 of the 14. Those with the
/// fewest entries first: the time may be over before the largest.
std::vector<std::string> hisparse_paper_suite(bool few);

}  // namespace copse::bench
