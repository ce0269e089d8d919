// How the products of spmv_both.hpp run: on a cpu in one pass over the matrix (both_cpu.cpp), or as two products; on an
// emulated executor by the tasks of a GPU, as plans/replay_on_stream.cuh has them on one.
#pragma once

#include <algorithm>
#include <concepts>
#include <copse/algebra/plans/normal_tasks.hpp>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/replay_on_emulated.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/algebra/plans/sums_of_pieces.hpp>
#include <copse/algebra/products/check_operands.hpp>
#include <copse/algebra/products/element_ranges.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/task.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

namespace copse::detail {

// In one launch, by the tasks of two products: what reads a leaf for a row of y and what reads it for a column start
// next to each other, so that the second reading meets a cache.
//
//   items   | part 0 of A | part 0 of A^T | part 1 of A | part 1 of A^T | part 2 of A^T | part 2 of A | ...
//
// Where a matrix has its entries near the diagonal, from one corner to the other, these are neighbours in it, too.

/// Two lists, in proportion to their lengths, each in its order. 2^31 items at most in each.
class lists_in_turn {
  public:
    lists_in_turn(std::int64_t first, std::int64_t second) : count_(first + second) {
        std::int64_t const one = std::int64_t{1} << 32;
        if (count_ > 0) of_first_ = static_cast<std::uint64_t>((first * one + count_ - 1) / count_);
    }

    struct place {
        bool in_second;
        std::int64_t index;
    };
    std::int64_t count() const { return count_; }
    COPSE_HOST_DEVICE place operator[](std::int64_t i) const {
        std::int64_t const of_first = before(i);
        return before(i + 1) > of_first ? place{false, of_first} : place{true, i - of_first};
    }

  private:
    /// Of the first list, in front of item i.
    COPSE_HOST_DEVICE std::int64_t before(std::int64_t i) const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(i) * of_first_ >> 32);
    }

    std::int64_t count_;
    std::uint64_t of_first_ = 0;  // of the first list, in units of 2^-32, rounded up
};

/// Two tasks as one, whose items are theirs in turn.
template <class First, class Second>
struct tasks_in_turn {
    using item = std::int64_t;
    static constexpr int width = First::width;
    static constexpr int phase = task_phase<First>();
    static constexpr char const* name = First::name;
    static constexpr std::size_t scratch_bytes = std::max(task_scratch_bytes<First>(), task_scratch_bytes<Second>());
    static constexpr int resident_blocks = std::min(task_resident_blocks<First>(8), task_resident_blocks<Second>(8));
    static_assert(Second::width == width && task_phase<Second>() == phase);

    First first;
    Second second;
    lists_in_turn items;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        auto const at = items[i];
        if constexpr (std::is_same_v<First, Second>)
            (at.in_second ? second : first)(at.index, w);  // one body
        else if (at.in_second)
            second(at.index, w);
        else
            first(at.index, w);
    }
};

/// The parts of both products, and the rows of either that several parts share. Leaves that are read stay in the cache.
template <class T, class V, class EpilogueY, class EpilogueZ>
using both_part_task = tasks_in_turn<replay_part_task<T, V, EpilogueY, true>, replay_part_task<T, V, EpilogueZ, true>>;
template <class T, class V, class EpilogueY, class EpilogueZ>
using both_split_task = tasks_in_turn<replay_split_task<T, V, EpilogueY>, replay_split_task<T, V, EpilogueZ>>;

/// f(parts, splits): the tasks of two products.
template <class T, class V, class EpilogueY, class EpilogueZ, class F>
void with_both_tasks(ready_replay<T, V> const& a, row_writer<V, EpilogueY> const& of_y, ready_replay<T, V> const& b,
                     row_writer<V, EpilogueZ> const& of_z, bool fetch_ahead, F f) {
    f(
        both_part_task<T, V, EpilogueY, EpilogueZ>{
            {a.product, of_y, fetch_ahead}, {b.product, of_z, fetch_ahead}, {a.lists.part_count, b.lists.part_count}},
        both_split_task<T, V, EpilogueY, EpilogueZ>{{a.product, of_y, a.lists.part_count},
                                                    {b.product, of_z, b.lists.part_count},
                                                    {a.lists.split_count, b.lists.split_count}});
}

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

}  // namespace copse::detail
