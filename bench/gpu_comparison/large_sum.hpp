// Sums of matrices that are made on the GPU and never leave it.
#pragma once

#include <string>

#include "bench/gpu_comparison/program.hpp"

namespace copse::bench {

/// A + B and A + B^T of the matrix of this name, B: A with every entry one column further, the last ones in the first
/// column. By HiSparse under each controller and cuSPARSE; the records are in the file and in a table. What finds no
/// memory is a record with the reason, and what was taken is free again behind it. Throws argument_error for a name of
/// which there is no formula; gpu_lost; cuda_error where not even the rows of A and B have room.
template <class T>
void add_large(gpu_program& program, std::string const& name);

}  // namespace copse::bench
