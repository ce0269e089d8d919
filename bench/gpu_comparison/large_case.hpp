// Matrices and vectors that are made on the GPU and never leave it.
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstdint>

#include "bench/gpu_comparison/row_formula.hpp"

namespace copse::bench {

/// The matrix in the executor's memory. Throws cuda_error.
template <class T>
csr_matrix<T> make_on_gpu(gpu& executor, row_formula const& formula);

/// The same with every entry so many columns further, round the end. Throws cuda_error.
template <class T>
csr_matrix<T> make_rotated_on_gpu(gpu& executor, row_formula const& formula, std::int64_t columns);

/// Uniform in [-1, 1), as signed_values(size, seed, set) has them.
template <class T>
buffer<T> random_on_gpu(gpu& executor, std::int64_t size, std::int64_t seed, int set = 0);

/// 64-bit offsets as cuSPARSE wants them. Waits.
buffer<std::int32_t> narrow_offsets(gpu const& executor, buffer<std::int64_t> const& offsets);
buffer<std::int64_t> widen_offsets(gpu const& executor, buffer<std::int32_t> const& offsets);

/// The row of each entry. Waits.
template <class T>
buffer<std::int32_t> row_indices_on_gpu(gpu& executor, csr_matrix<T> const& a);

}  // namespace copse::bench
