// A matrix that is made on the GPU and never leaves it, its vectors, and the check of its products there.
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstdint>
#include <string>

#include "bench/gpu_comparison/inputs.hpp"
#include "bench/gpu_comparison/row_formula.hpp"

namespace copse::bench {

/// The matrix in the executor's memory. Throws cuda_error.
template <class T>
csr_matrix<T> make_on_gpu(gpu& executor, row_formula const& formula);

/// The same with every entry so many columns further, round the end. Throws cuda_error.
template <class T>
csr_matrix<T> make_rotated_on_gpu(gpu& executor, row_formula const& formula, std::int64_t columns);

/// Uniform in [-1, 1), as random_sequence(seed, 0) has them.
template <class T>
buffer<T> random_on_gpu(gpu& executor, std::int64_t size, std::int64_t seed);

/// The largest error over the elements of y <- op(A) x by a gpu_product_check (product_check.hpp) that is made for this
/// and keeps nothing. Waits.
template <class T>
double error_on_gpu(gpu& executor, csr_matrix<T> const& a, bool transpose, buffer<T> const& x, buffer<T> const& y);

/// y <- op(A) x for one set of vectors, whose result is checked by error_on_gpu.
template <class T>
gpu_problem<T> problem_of(gpu& executor, std::string name, csr_matrix<T> const& a, bool transpose, std::int64_t seed);

/// 64-bit offsets as cuSPARSE wants them. Waits.
buffer<std::int32_t> narrow_offsets(gpu const& executor, buffer<std::int64_t> const& offsets);
buffer<std::int64_t> widen_offsets(gpu const& executor, buffer<std::int32_t> const& offsets);

/// The row of each entry. Waits.
template <class T>
buffer<std::int32_t> row_indices_on_gpu(gpu& executor, csr_matrix<T> const& a);

}  // namespace copse::bench
