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
#include <copse/algebra/plans/both_tasks.hpp>
#include <copse/algebra/plans/normal_tasks.hpp>
#include <copse/algebra/plans/sums_of_pieces.hpp>
#include <copse/algebra/products/check_operands.hpp>
#include <copse/algebra/products/element_ranges.hpp>
#include <copse/algebra/replay_emulated.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/nvtx.hpp>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

namespace copse {
namespace detail {

/// Called when rows first .. last - 1 are done, which are at `rows`. Each piece is reported once, by any thread.
template <class V>
using rows_ready = std::function<void(std::int64_t piece, std::int64_t first, std::int64_t last, V* rows)>;

/// y <- alpha A x + beta y and z <- gamma A^T w + delta z.
template <class V>
struct both_products {
    V alpha;
    vector_view<V const> x;
    V beta;
    vector_view<V> y;  // empty: rows of A x are given to rows_done alone
    V gamma;
    vector_view<V const> w;  // empty: what rows_done leaves there
    V delta;
    vector_view<V> z;
    rows_ready<V> rows_done = {};
    detail::rows_done columns_done = {};
};

/// Operands are checked. Instantiated as replay_on_cpu().
template <class T, class V>
void replay_both_on_cpu(cpu& executor, spmv_plan<T> const& plan, both_products<V> const& what);
/// Of either product. Makes the lists that these products need.
template <class T, class V>
std::int64_t most_pieces_of_both(cpu const& executor, spmv_plan<T> const& plan, both_products<V> const& what);

template <class T, class V>
void check_both(char const* operation, spmv_plan<T> const& plan, both_products<V> const& what, bool has_y,
                memory_space space) {
    content_of(plan);  // of a plan that was moved from: says so
    std::int64_t const m = plan.row_count(), n = plan.column_count();
    check_space(operation, plan.matrix().space(), "the plan's matrix", space);
    auto const check = [&](char const* name, vector_view<V const> v, std::int64_t wanted) {
        check_vector_size(operation, m, n, name, v.size(), wanted);
        check_space(operation, v.space(), name, space);
    };
    vector_view<V const> const y = what.y, z = what.z;
    check("x", what.x, n);
    check("z", z, n);
    check_apart(operation, "x", what.x, "z", z);
    if (!has_y) return;
    check("y", y, m);
    check("w", what.w, m);
    check_apart(operation, "x", what.x, "y", y);
    check_apart(operation, "w", what.w, "y", y);
    check_apart(operation, "w", what.w, "z", z);
    check_apart(operation, "y", y, "z", z);
}

template <class V, class Epilogue>
using sums_with = sums_of_pieces<epilogue_result<V, Epilogue>>;

/// Operands are checked.
template <class T, class V, any_executor Executor>
void replay_both_and_wait(Executor& executor, spmv_plan<T> const& plan, both_products<V> const& what);
/// The same as chosen, without waiting: for measurements.
template <class T, class V>
void replay_both_on_gpu(gpu& executor, spmv_plan<T> const& plan, both_products<V> const& what,
                        replay_choices const& choices);

template <class T, class V, any_executor Executor>
void multiply_both(Executor& executor, spmv_plan<T> const& plan, both_products<V> const& what) {
    check_both("spmv_both", plan, what, true, executor.memory()->space());
    replay_both_and_wait<T, V>(executor, plan, what);
}

template <class T, class V, class EpilogueY, class EpilogueZ>
auto multiply_both_with(cpu& executor, spmv_plan<T> const& plan, both_products<V> what, EpilogueY const& of_y,
                        EpilogueZ const& of_z) {
    check_both("spmv_both", plan, what, true, executor.memory()->space());
    std::int64_t const pieces = most_pieces_of_both(executor, plan, what);
    sums_with<V, EpilogueY> of_rows(pieces);
    sums_with<V, EpilogueZ> of_columns(pieces);
    what.rows_done = [&](std::int64_t piece, std::int64_t first, std::int64_t last, V* rows) {
        of_rows.add(piece, first, last, [&](std::int64_t i) { return of_y(i, rows[i - first]); });
    };
    what.columns_done = [&](std::int64_t piece, std::int64_t first, std::int64_t last) {
        of_columns.add(piece, first, last, [&](std::int64_t j) { return of_z(j, what.z.data()[j]); });
    };
    replay_both_on_cpu<T, V>(executor, plan, what);
    return std::pair(of_rows.total(), of_columns.total());
}

/// std::monostate for nothing.
template <class Sum>
auto sum_or_monostate(Sum sum) {
    if constexpr (std::is_void_v<decltype(sum())>) {
        sum();
        return std::monostate();
    } else {
        return sum();
    }
}
/// choices: both_at_once, fetch_ahead.
template <class T, class V, class EpilogueY, class EpilogueZ, class Choices = default_choices>
auto multiply_both_with(emulated& executor, spmv_plan<T> const& plan, both_products<V> const& what,
                        EpilogueY const& of_y, EpilogueZ const& of_z, Choices const& choices = {}) {
    check_both("spmv_both", plan, what, true, executor.memory()->space());
    nvtx_range const range(nvtx_room::algebra, "copse replay both", 2 * plan.matrix().entry_count());
    auto const turned = plan.transposed();
    if constexpr (may_choose<Choices>) {
        if (choices.both_at_once) {
            placed_on_emulated<T, V> const rows(executor, "spmv_both", what.alpha, plan, what.x, what.beta, what.y),
                columns(executor, "spmv_both", what.gamma, turned, what.w, what.delta, what.z);
            sums_with<V, EpilogueY> of_rows(rows.piece_count());
            sums_with<V, EpilogueZ> of_columns(columns.piece_count());
            with_both_tasks<T, V>(
                rows, writer_of(rows.product, of_y, of_rows.data()), columns,
                writer_of(columns.product, of_z, of_columns.data()), choices.fetch_ahead,
                [&]<class Parts, class Splits>(Parts const& parts, Splits const& splits) {
                    run(executor,
                        seed_range<Parts>(0, parts.items.count()) + seed_range<Splits>(0, splits.items.count()), parts,
                        splits);
                });
            return std::pair(of_rows.total(), of_columns.total());
        }
    }
    auto const of_rows = sum_or_monostate(
        [&] { return replay_on_emulated<T, V>(executor, what.alpha, plan, what.x, what.beta, what.y, of_y); });
    return std::pair(of_rows, sum_or_monostate([&] {
                         return replay_on_emulated<T, V>(executor, what.gamma, turned, what.w, what.delta, what.z,
                                                         of_z);
                     }));
}

template <class T, class V, class F>
auto multiply_normal(cpu& executor, spmv_plan<T> const& plan, vector_view<V const> x, F const& f, V beta,
                     vector_view<V> z) {
    both_products<V> what{V(1), x, V(0), {}, V(1), {}, beta, z};
    check_both("normal_product", plan, what, false, executor.memory()->space());
    sums_with<V, F> terms(most_pieces_of_both(executor, plan, what));
    what.rows_done = [&](std::int64_t piece, std::int64_t first, std::int64_t last, V* rows) {
        terms.add(piece, first, last, [&](std::int64_t i) { return f(i, rows[i - first]); });
    };
    replay_both_on_cpu<T, V>(executor, plan, what);
    return terms.total();
}
/// choices: normal_by_parts, fetch_ahead.
template <class T, class V, class F>
auto multiply_normal_by_parts(emulated& executor, spmv_plan<T> const& plan, vector_view<V const> x, F const& f, V beta,
                              vector_view<V> z, replay_choices const& choices) {
    placed_on_emulated<T, V> const rows(executor, "normal_product", V(1), plan, x, V(0), {});
    std::int64_t const part_count = rows.lists.part_count, split_count = rows.lists.split_count;
    buffer<V> const t(executor, split_count > 0 ? plan.row_count() : 0);
    sums_with<V, F> terms(rows.piece_count());
    using scale = scale_output<V>;
    run(executor, seed_range<scale>(0, stretches(z.size(), scale::stretch)), scale{z.data(), z.size(), beta});
    with_normal_tasks<T, V>(
        rows, f, terms.data(), t.data(), z, choices.fetch_ahead,
        [&]<class Parts, class Splits, class Shared>(Parts const& parts, Splits const& splits, Shared const& shared) {
            run(executor,
                seed_range<Parts>(0, part_count) + seed_range<Splits>(0, split_count) +
                    seed_range<Shared>(0, split_count > 0 ? part_count : 0),
                parts, splits, shared);
        });
    return terms.total();
}
template <class T, class V, class F, class Choices = default_choices>
auto multiply_normal(emulated& executor, spmv_plan<T> const& plan, vector_view<V const> x, F const& f, V beta,
                     vector_view<V> z, Choices const& choices = {}) {
    check_both<T, V>("normal_product", plan, {V(1), x, V(0), {}, V(1), {}, beta, z}, false, executor.memory()->space());
    if constexpr (may_choose<Choices>)
        if (goes_by_parts<V>(plan, choices))
            return multiply_normal_by_parts<T, V>(executor, plan, x, f, beta, z, choices);
    buffer<V> const t(executor, plan.row_count());
    auto const terms =
        sum_or_monostate([&] { return replay_on_emulated<T, V>(executor, V(1), plan, x, V(0), t.view(), f); });
    replay_and_wait<T, V>(executor, V(1), plan.transposed(), vector_view<V const>(t.view()), beta, z);
    return terms;
}

}  // namespace detail

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
