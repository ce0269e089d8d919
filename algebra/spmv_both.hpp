// A x and A^T w from one plan, and A^T f(A x): a CPU reads the matrix once for both products.
//
//   copse::spmv_both(cpu, plan, 1.0, x, 0.0, y, 1.0, w, 0.0, z);                       // y <- A x, z <- A^T w
//
//   // z <- A^T (D A x), and x^T A^T D A x
//   double const s = copse::normal_product(cpu, plan, x, [&](std::int64_t i, double& t) {
//       double const before = t;
//       t *= d[i];
//       return before * t;
//   }, 0.0, z);
#pragma once

#include <concepts>
#include <copse/algebra/plans/both_products.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/executor.hpp>
#include <type_traits>

namespace copse {

/// Executors on which functions of yours need no nvcc.
template <class Executor>
concept host_executor = std::same_as<Executor, cpu> || std::same_as<Executor, emulated>;

/// y <- alpha op(A) x + beta y and z <- gamma op(A)^T w + delta z. op(A): m x n; x, z: n elements; y, w: m elements. y
/// and z overlap neither each other nor x or w; x and w may be one vector. On a CPU both products read A once, part by
/// part, where that moves fewer bytes: what several threads add to z goes through memory of their own. A gamma (times
/// the scale) other than 1 is multiplied with the elements of w. Elsewhere, and where A's entries are too scattered,
/// these are two products (spmv_plan.hpp), which need the lists of both directions. Gives the same bits every time, as
/// spmv() with a plan does. Waits.
/// Throws what spmv() with a plan throws, before anything is started.
template <class T, any_executor Executor>
void spmv_both(Executor& executor, spmv_plan<T> const& plan, std::type_identity_t<T> alpha,
               std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
               std::type_identity_t<vector_view<T>> y, std::type_identity_t<T> gamma,
               std::type_identity_t<vector_view<T const>> w, std::type_identity_t<T> delta,
               std::type_identity_t<vector_view<T>> z) {
    detail::multiply_both<T, T>(executor, plan, {alpha, x, beta, y, gamma, w, delta, z});
}
/// A float matrix with double vectors.
template <any_executor Executor>
void spmv_both(Executor& executor, spmv_plan<float> const& plan, double alpha, vector_view<double const> x, double beta,
               vector_view<double> y, double gamma, vector_view<double const> w, double delta, vector_view<double> z) {
    detail::multiply_both<float, double>(executor, plan, {alpha, x, beta, y, gamma, w, delta, z});
}
/// The same, and calls of_y(i, y_i) and of_z(j, z_j) for each element as soon as it is done, as spmv() with an epilogue
/// does. Returns the pair of their sums; std::monostate for one that returns nothing. On a gpu: algebra/replay_gpu.cuh.
template <class T, host_executor Executor, plan_epilogue<T> EpilogueY, plan_epilogue<T> EpilogueZ>
auto spmv_both(Executor& executor, spmv_plan<T> const& plan, std::type_identity_t<T> alpha,
               std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
               std::type_identity_t<vector_view<T>> y, std::type_identity_t<T> gamma,
               std::type_identity_t<vector_view<T const>> w, std::type_identity_t<T> delta,
               std::type_identity_t<vector_view<T>> z, EpilogueY const& of_y, EpilogueZ const& of_z) {
    return detail::multiply_both_with<T, T>(executor, plan, {alpha, x, beta, y, gamma, w, delta, z}, of_y, of_z);
}
template <host_executor Executor, plan_epilogue<double> EpilogueY, plan_epilogue<double> EpilogueZ>
auto spmv_both(Executor& executor, spmv_plan<float> const& plan, double alpha, vector_view<double const> x, double beta,
               vector_view<double> y, double gamma, vector_view<double const> w, double delta, vector_view<double> z,
               EpilogueY const& of_y, EpilogueZ const& of_z) {
    return detail::multiply_both_with<float, double>(executor, plan, {alpha, x, beta, y, gamma, w, delta, z}, of_y,
                                                     of_z);
}

/// z <- op(A)^T t + beta z, where t_i = f(i, (op(A) x)_i): f may change the element, which it gets by reference, and
/// store it elsewhere; it is called once for each row, from several threads at a time. On a CPU a part of the rows is
/// multiplied, given to f, and multiplied with op(A)^T while its leaves are in the cache; t is never stored as a whole.
/// Returns the sum of what f returns, in the same order every time; std::monostate if it returns nothing. x, z: n
/// elements, which do not overlap. op(A)^T op(A) is not formed. Waits. Throws as spmv_both(); an exception of f is
/// passed on, and leaves a part of z as it was. On a gpu: algebra/replay_gpu.cuh.
template <class T, host_executor Executor, plan_epilogue<T> F>
auto normal_product(Executor& executor, spmv_plan<T> const& plan, std::type_identity_t<vector_view<T const>> x,
                    F const& f, std::type_identity_t<T> beta, std::type_identity_t<vector_view<T>> z) {
    return detail::multiply_normal<T, T>(executor, plan, x, f, beta, z);
}
/// A float matrix with double vectors.
template <host_executor Executor, plan_epilogue<double> F>
auto normal_product(Executor& executor, spmv_plan<float> const& plan, vector_view<double const> x, F const& f,
                    double beta, vector_view<double> z) {
    return detail::multiply_normal<float, double>(executor, plan, x, f, beta, z);
}

}  // namespace copse
