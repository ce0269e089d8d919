// Sparse matrix times vector, through the scheduler.
//
//   copse::spmv(gpu, 2.0, copse::transposed(a), x, 0.5, y);      // y <- 2 A^T x + 0.5 y
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/report.hpp>
#include <type_traits>

namespace copse {

/// y <- alpha * op(A) * x + beta * y, where op(A) is `a` with its state: transposed(a), scaled(a, s).
/// op(A): m x n; x: n elements; y: m elements; x and y must not overlap.
/// beta == 0 overwrites y without reading it; alpha == 0 reads neither A nor x. NaN and Inf travel along stored entries
/// only. Waits. The order of summation, and with it the rounding, may differ from run to run. Throws shape_error for
/// sizes that do not fit, argument_error for a matrix or vector in memory that the executor does not use, both before
/// anything is started; cuda_error. Instantiated for float and double. hisparse §5, algorithm 1.
template <class T, any_executor Executor>
run_report spmv(Executor& executor, std::type_identity_t<T> alpha, hisparse<T> const& a,
                std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
                std::type_identity_t<vector_view<T>> y);

}  // namespace copse
