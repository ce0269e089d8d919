// A matrix that is made on the GPU and never leaves it, its vectors, and the check of its products there.
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstdint>
#include <string>

#include "bench/gpu_comparison/row_formula.hpp"

namespace copse::bench {

/// The matrix in the executor's memory. Throws argument_error beyond 2^31 - 1 entries, cuda_error.
template <class T>
csr_matrix<T> make_on_gpu(gpu& executor, row_formula const& formula);

/// Uniform in [-1, 1), as random_sequence(seed, 0) has them.
template <class T>
buffer<T> random_on_gpu(gpu& executor, std::int64_t size, std::int64_t seed);

/// The largest error over the elements of y <- op(A) x, as error_of() counts; infinity for NaN. For A^T the expected
/// sums are made by atomic additions of doubles beside their magnitudes: their own rounding is allowed for once more in
/// double. Waits.
template <class T>
double error_on_gpu(gpu& executor, csr_matrix<T> const& a, bool transpose, buffer<T> const& x, buffer<T> const& y);

/// The first offsets.size() of 64-bit offsets as cuSPARSE wants them.
buffer<std::int32_t> narrow_offsets(gpu& executor, buffer<std::int64_t> const& offsets);

}  // namespace copse::bench
