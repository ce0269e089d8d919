// Sparse matrix times several vectors at once: the matrix is read once for many columns.
//
//   auto x = copse::row_major(x_memory, n, 8), y = copse::row_major(y_memory, m, 8);
//   copse::spmm(cpu, 2.0, a, x, 0.5, y);                              // Y <- 2 A X + 0.5 Y
//   copse::spmv_plan<double> const plan(cpu, a);
//   copse::spmm(cpu, 1.0, copse::transposed(plan), y, 0.0, x);        // X <- A^T Y, by the plan of products
#pragma once

#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/dense_view.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/executor.hpp>
#include <type_traits>

namespace copse {
namespace detail {

// T: type of the matrix, V: of X, Y and the sums.
template <class T, class V, any_executor Executor>
run_report multiply_columns(Executor& executor, V alpha, hisparse<T> const& a, dense_view<V const> x, V beta,
                            dense_view<V> y);
template <class T, class V, any_executor Executor>
void replay_columns(Executor& executor, V alpha, spmv_plan<T> const& plan, dense_view<V const> x, V beta,
                    dense_view<V> y);

}  // namespace detail

/// Y <- alpha * op(A) * X + beta * Y, where op(A) is `a` with its state: transposed(a), scaled(a, s).
/// op(A): m x n; X: n x k; Y: m x k, each by rows or by columns, with a leading dimension of its own. k may be 0: there
/// is nothing to do then. X and Y must not overlap; both may be columns of one array by rows.
/// Element (i, c) of Y is f s + beta y, as spmv() has it for column c (spmv.hpp): NaN and Inf reach only rows with an
/// entry that they meet, f (alpha times the scale) is multiplied with whole sums s, alpha == 0 reads neither A nor X,
/// beta == 0 does not read Y.
/// Takes temporary memory for 256 bytes of each row of Y (32 on lanes), and on a cpu, if X is by columns, of X.
/// Waits. The order of summation, and with it the rounding, may differ from run to run. Fast where X and Y are by rows,
/// k is 8 or more and a row is a multiple of 64 bytes.
/// Throws shape_error for sizes that do not fit, argument_error for an operand in memory that the executor does not use
/// and for X and Y that overlap, all before anything is started; cuda_error. For float and double. hisparse §5.
template <class T, any_executor Executor>
run_report spmm(Executor& executor, std::type_identity_t<T> alpha, hisparse<T> const& a,
                std::type_identity_t<dense_view<T const>> x, std::type_identity_t<T> beta,
                std::type_identity_t<dense_view<T>> y) {
    return detail::multiply_columns<T, T>(executor, alpha, a, x, beta, y);
}
/// A float matrix with X and Y of double: products and sums in double.
template <any_executor Executor>
run_report spmm(Executor& executor, double alpha, hisparse<float> const& a, dense_view<double const> x, double beta,
                dense_view<double> y) {
    return detail::multiply_columns<float, double>(executor, alpha, a, x, beta, y);
}

/// The same by a plan of products (spmv_plan.hpp), which need not know of X and Y. Gives the same bits every time: they
/// depend on the matrix, k, the instruction set and the number of threads that the plan was made for. (They may differ
/// from those of spmv().) Takes memory for the rows that a thread works on, and on a cpu for X by columns. Waits.
/// Throws what spmv() with the plan throws, for X and Y.
template <class T, any_executor Executor>
void spmm(Executor& executor, std::type_identity_t<T> alpha, spmv_plan<T> const& plan,
          std::type_identity_t<dense_view<T const>> x, std::type_identity_t<T> beta,
          std::type_identity_t<dense_view<T>> y) {
    detail::replay_columns<T, T>(executor, alpha, plan, x, beta, y);
}
template <any_executor Executor>
void spmm(Executor& executor, double alpha, spmv_plan<float> const& plan, dense_view<double const> x, double beta,
          dense_view<double> y) {
    detail::replay_columns<float, double>(executor, alpha, plan, x, beta, y);
}

}  // namespace copse
