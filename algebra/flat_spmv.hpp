// Products of matrices in flat formats (csr_matrix, csr5, ...) and vectors, through the scheduler. The seeds are a few
// ranges over tiles, slices, strips or rows.
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
/// spmv.hpp has the rule for Inf, NaN and 0 in factors, x, A and y. If f, alpha times the scale, is not finite, the
/// product takes temporary memory for m elements, and one more run.
/// Waits. On the cpu a matrix of few entries, or one thread, takes no run: the report then names no queues.
/// A x gives the same bits every time (on the cpu: with the same number of threads): sums of rows that several tiles
/// share are added in the order of the tiles. The transposed product scatters, without a copy of the matrix. On the cpu
/// each thread scatters into an array of its own (at most threads x m elements); these are added in order, which gives
/// the same bits every time. Other executors use atomic additions, whose order may differ from run to run; flat_plan
/// has a product without them. Throws shape_error for sizes that do not fit, argument_error for a matrix or vector in
/// memory that the executor does not use, both before anything is started; cuda_error. For float and double.
template <flat_format Matrix, any_executor Executor>
run_report spmv(Executor& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y);
/// The same on the executor's stream, without the scheduler's queues and without waiting: a, x and y must stay until
/// the product is done. What spmv_async() with a plan says of temporary memory and of captures holds here too
/// (flat_plan.hpp). The first product of a process may wait, or end a capture, while CUDA loads its kernels. To load
/// them beforehand, make a flat_plan of the format.
template <flat_format Matrix>
void spmv_async(gpu& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y);

}  // namespace copse
