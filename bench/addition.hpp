// One matrix A, and B = A with every entry moved near by: A + B, A^T + B^T and A + B^T by plain CSR and by the peers,
// all checked and timed in turn. hisparse §6.
#pragma once

#include <string>
#include <vector>

#include "bench/comparison.hpp"
#include "bench/harness/measurement.hpp"

namespace copse::bench {

/// Memory that is freed from now on stays with this process (where the C library can be told so). Sums, and products by
/// libraries that make a new y each time, are measured in such memory: else the kernel zeroes every page of every
/// result anew, which takes a third of the time of the fastest sum and says nothing of how they add.
void keep_freed_memory();

/// B is `moved(A, 10, 1)`. For each of the sums, A + B^T only where A is square: plain CSR first, then the peers. The
/// factors are 1. A competitor that was wrong has is_right() false, and was not timed.
/// Throws what reading the matrix and the peers throw.
template <class T>
std::vector<measurement> compare_additions(std::string const& matrix, comparison_options const& options,
                                           progress const& report);

}  // namespace copse::bench
