// Matrices in flat formats (csr_matrix, csr5, ...) times a vector, through the scheduler: a matrix is a handful of
// range items over tiles.
//
//   copse::csr5<double> a(cpu, copse::to_csr(copse::read_matrix_market<double>("a.mtx")));
//   copse::spmv(cpu, 2.0, copse::transposed(a), x, 0.5, y);      // y <- 2 A^T x + 0.5 y
#pragma once

#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/report.hpp>

namespace copse {

/// y <- alpha * op(A) * x + beta * y, where op(A) is `a` with its state: transposed(a), scaled(a, s).
/// op(A): m x n; x: n elements; y: m elements; x and y must not overlap.
/// spmv.hpp has the rule for Inf, NaN and 0 in factors, x, A and y. Where f, alpha times the scale, is not finite, the
/// product takes memory for m elements in between, and one more run.
/// Waits. On the cpu a matrix of few entries, or one thread, takes no run: the report then names no queues.
/// A x gives the same bits every time (on the cpu: with the same number of threads): sums of rows that several tiles
/// share are added in the order of the tiles. The transposed product scatters, without a copy of the matrix: on the cpu
/// each thread into an array of its own, at most threads x m elements, which are added in order (the same bits again);
/// on other executors by atomic additions, whose order may differ from run to run. flat_plan has a product without
/// them. Throws shape_error for sizes that do not fit, argument_error for a matrix or vector in memory that the
/// executor does not use, both before anything is started; cuda_error. For float and double.
template <flat_format Matrix, any_executor Executor>
run_report spmv(Executor& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y);
/// The same on the executor's stream, without the scheduler's queues and without waiting: a, x and y must stay until it
/// is done. What spmv_async() with a plan says of memory in between and of captures holds here too (flat_plan.hpp). The
/// first product of a process may wait, or end a capture, while CUDA loads its kernels: a flat_plan of the format has
/// it done.
template <flat_format Matrix>
void spmv_async(gpu& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y);

}  // namespace copse
