// Sparse matrix times vector, through the scheduler.
//
//   copse::spmv(gpu, 2.0, copse::transposed(a), x, 0.5, y);      // y <- 2 A^T x + 0.5 y
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/executor.hpp>
#include <type_traits>

namespace copse {

/// y <- alpha * op(A) * x + beta * y, where op(A) is `a` with its state: transposed(a), scaled(a, s).
/// op(A): m x n; x: n elements; y: m elements; x and y must not overlap.
/// Row by row: y_i <- f s_i + beta y_i. f is alpha times the scale, rounded to T. s_i is the sum of a_ij x_j over the
/// entries that row i of op(A) stores, without the scale; it is 0 for a row without entries.
/// So NaN and Inf of x and of A's values reach only rows with an entry that they meet. An f of Inf or NaN reaches every
/// row, those without entries too, for Inf * 0 is NaN. The product then takes temporary memory for m elements.
/// alpha == 0 reads neither A nor x, whatever the scale is. beta == 0 overwrites y without reading it. Where f is 0 for
/// another reason (a scale of 0, or a product too small for T), A and x are read: 0 times an s_i of Inf is NaN.
/// A finite f may be multiplied with the terms of s_i instead of with s_i. Where such a product is too large or too
/// small for T, the result may be Inf, NaN or 0 though f s_i is none of these.
/// Waits. The order of summation, and with it the rounding, may differ from run to run. Throws shape_error for
/// sizes that do not fit, argument_error for a matrix or vector in memory that the executor does not use, both before
/// anything is started; cuda_error. Instantiated for float and double. hisparse §5, algorithm 1.
template <class T, any_executor Executor>
run_report spmv(Executor& executor, std::type_identity_t<T> alpha, hisparse<T> const& a,
                std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
                std::type_identity_t<vector_view<T>> y);

}  // namespace copse
