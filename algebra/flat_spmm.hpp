// Products of matrices in CSR or SELL-P with several columns at once (spmm.hpp has those of HiSparse).
//
//   copse::csr_matrix<double> a(cpu, copse::to_csr(copse::read_matrix_market<double>("a.mtx")));
//   copse::spmm(cpu, 2.0, a, x, 0.5, y);                                       // Y <- 2 A X + 0.5 Y
//   copse::flat_plan plan(cpu, a);
//   copse::spmm(cpu, 1.0, copse::transposed(plan), y, 0.0, x);                 // X <- A^T Y, by rows of A^T
#pragma once

#include <concepts>
#include <copse/algebra/flat_plan.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/dense_view.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/executor.hpp>

namespace copse {

/// A flat format whose rows are stored one by one: csr_matrix, sellp.
template <class Matrix>
concept row_format = flat_format<Matrix> &&(std::same_as<Matrix, csr_matrix<typename Matrix::value_type>> ||
                                            std::same_as<Matrix, sellp<typename Matrix::value_type>>);

/// Y <- alpha * op(A) * X + beta * Y, where op(A) is `a` with its state: transposed(a), scaled(a, s). Shapes, aliasing
/// and the rule for Inf, NaN and 0 are those of spmm() with HiSparse (spmm.hpp). A row is never shared: on the cpu its
/// thread, on other executors a lane for each column, goes through all of it, whatever the csr_kernel.
/// A X gives the same bits every time. A^T X scatters: on the cpu each thread into an array of its own, added in order
/// (the same bits for a number of threads; temporary memory for threads x m rows of 256 bytes), elsewhere by atomic
/// additions, in any order (m rows of 32 bytes). Waits. Throws shape_error, argument_error, both before anything is
/// started; cuda_error. For float and double.
template <row_format Matrix, any_executor Executor>
void spmm(Executor& executor, typename Matrix::value_type alpha, Matrix const& a,
          dense_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
          dense_view<typename Matrix::value_type> y);

/// The same by a plan (flat_plan.hpp), by rows in both directions, with the same bits every time.
template <row_format Matrix, any_executor Executor>
void spmm(Executor& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
          dense_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
          dense_view<typename Matrix::value_type> y);

}  // namespace copse
