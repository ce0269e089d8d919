// What products on a GPU are held to: the host's reference, or sums that are made on the GPU by kernels of their own.
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <functional>

#include "bench/harness/product.hpp"

namespace copse::bench {

/// The largest error of an element of y in units of what arithmetic in T may be off by; infinity for NaN. Waits.
template <class T>
using product_check = std::function<double(buffer<T> const& y)>;

/// By the reference, on the host.
template <class T>
product_check<T> check_on_host(expectation<T> expected);

/// y <- op(A) x on the GPU, by a warp for each row of A: A x in twice the precision, A^T x by atomic additions of
/// doubles, whose own rounding is allowed for once more in double. Each check takes 24 bytes for each element of y
/// there, and keeps nothing. x: in the executor's memory. It and the executor must outlive the check.
template <class T>
product_check<T> check_on_gpu(gpu& executor, csr_matrix<T> const& a, bool transpose, T const* x);

}  // namespace copse::bench
