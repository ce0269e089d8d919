// A value for each row of a matrix, by a plan:
//
//   copse::spmv_plan<double> const plan(cpu, a);
//   copse::for_each_row(
//       cpu, plan, infinity, [=](std::int64_t, std::int64_t column, double v) { return v + x[column]; },
//       copse::min_op(), [=](std::int64_t row, double least) { y[row] = least; });  // y_i <- min over j (a_ij + x_j)
//
// A plan's lists say which leaves each part (rows side by side) has. One worker owns the part and keeps its values to
// itself, on chip on a GPU. A row with very many entries has several workers, whose values meet in a second phase. So
// nothing is atomic, and the last function may write to what belongs to its row.
#pragma once

#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/products/check_operands.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace copse {
namespace detail {

/// values[i] <- plus(values[i], value), lane after lane where several want the same one. i < 0: nothing to add.
/// Collective.
template <class R, class Plus, class Worker>
COPSE_HOST_DEVICE void add_by_turns(R* values, int i, R const& value, Plus const& plus, Worker& w) {
    if constexpr (Worker::size() == 1) {
        values[i] = plus(values[i], value);
    } else {
        std::uint32_t const before = (1u << w.rank()) - 1, same = w.lanes_with(i);
        int const turn = i < 0 ? 0 : bit_count(same & before);
        for (int round = 0, more = true; more; ++round) {
            if (i >= 0 && turn == round) values[i] = plus(values[i], value);
            w.sync();
            more = w.any(turn > round);
        }
    }
}

/// A part of a plan: its rows are done, or go to its slot.
template <class T, class R, class F, class Plus, class Done>
struct rows_of_part {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "rows of a plan";
    static constexpr std::size_t scratch_bytes = replay_rows * sizeof(R);

    node_reader tree;
    T scale;
    listed_leaf const* items;
    plan_part const* parts;
    R* of_threads;  // on a cpu: a part's rows for each thread
    std::int64_t most_rows;
    R* slots;
    R start;
    F f;
    Plus plus;
    Done done;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item index, Worker& w) const {
        plan_part const part = parts[index];
        R* const values = values_of(w);
        for (int i = w.rank(); i < part.rows; i += w.size()) values[i] = start;
        w.sync();
        std::int64_t const end = parts[index + 1].first_item;
        for (std::int64_t k = part.first_item; k < end; ++k) add(items[k], part.first_row, values, w);
        R* const slot =
            part.split < 0 ? nullptr : slots + (static_cast<std::int64_t>(part.slot) << tree.dimension_log2());
        for (int i = w.rank(); i < part.rows; i += w.size())
            if (part.split < 0)
                done(part.first_row + std::int64_t{i}, values[i]);
            else
                slot[i] = values[i];
        w.sync();  // the values' memory is the next part's
    }

  private:
    template <lanes_worker Worker>
    COPSE_HOST_DEVICE R* values_of(Worker& w) const {
        return w.template scratch<R>(replay_rows).data();
    }
    template <core_worker Worker>
    R* values_of(Worker& w) const {
        return of_threads + w.thread() * most_rows;
    }
    template <class Worker>
    COPSE_HOST_DEVICE void add(listed_leaf const& listed, std::int64_t first_row, R* values, Worker& w) const {
        node const leaf = listed.leaf;
        std::int64_t row = leaf.row;
        if (leaf.reference.is_wide_leaf()) row = row >> 2 * tree.dimension_log2() << 2 * tree.dimension_log2();
        std::int64_t const column = leaf.column;
        T const factor = signed_factor(leaf.reference, scale);
        visit_stored_together<T>(
            w, tree, leaf, {listed.first, listed.last - listed.first}, [&](bool mine, int, int i, int j, T value) {
                R const r = mine ? R(f(row + i, column + j, factor * value)) : start;
                add_by_turns(values, mine ? static_cast<int>(row + i - first_row) : -1, r, plus, w);
            });
    }
};

/// Rows that several parts share.
template <class R, class Plus, class Done>
struct rows_of_split {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "shared rows of a plan";

    plan_split const* splits;
    R const* slots;
    int dimension_log2;
    Plus plus;
    Done done;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item index, Worker& w) const {
        plan_split const split = splits[index];
        R const* const first = slots + (static_cast<std::int64_t>(split.first_slot) << dimension_log2);
        for (int i = w.rank(); i < split.rows; i += w.size()) {
            R value = first[i];
            for (int k = 1; k < split.slots; ++k)
                value = plus(value, first[(static_cast<std::int64_t>(k) << dimension_log2) + i]);
            done(split.first_row + std::int64_t{i}, value);
        }
    }
};

}  // namespace detail

/// Calls done(i, r_i) once for each row i of op(A), with or without entries, where
/// r_i = start + f(i, j, a_ij) + f(i, j', a_ij') + ... over the entries of the row, `+` being plus(R, R).
/// f: f(row, column, value) -> R, with the value times the plan's scale. start must be neutral: plus(start, x) == x; it
/// is used many times. Several workers call done at a time, for different rows. R, f, plus and done are trivially
/// copyable; an R has at most 32 bytes.
/// Deterministic: the order of additions within a row depends on the plan only, so r_i has the same bits every time.
/// Takes the memory of a value for each row that parts of the plan share, on a cpu also of a part's rows for each
/// thread. For sums of products spmv() with the plan is faster: it uses the vectors of a CPU. Waits.
/// Throws argument_error if the plan's matrix is in another memory, or if the executor has lanes and a cpu made the
/// plan in parts of more rows than lanes have room for; what run() throws.
template <class T, any_executor Executor, class R, class F, class Plus, class Done>
run_report for_each_row(Executor& executor, spmv_plan<T> const& plan, R start, F f, Plus plus, Done done) {
    static_assert(std::is_trivially_copyable_v<R> && sizeof(R) <= 32,
                  "copse: for_each_row: a row's value must be trivially copyable, and have at most 32 bytes");
    nvtx_range const range(nvtx_room::algebra, "copse for each row", plan.matrix().entry_count());
    using part = detail::rows_of_part<T, R, F, Plus, Done>;
    using split = detail::rows_of_split<R, Plus, Done>;
    detail::check_space("for_each_row", plan.matrix().space(), "the plan's matrix", executor.memory()->space());
    detail::plan_direction const& lists = detail::direction_of(executor, plan);
    std::int64_t of_threads = 0;
    if constexpr (lanes_executor<Executor>)
        detail::check_rows_of_parts("for_each_row", lists);
    else
        of_threads = executor.threads() * lists.most_rows;
    detail::node_reader const tree = detail::direction_content_of(plan).tree;
    int const log2 = tree.dimension_log2();
    buffer<R> const own(executor, of_threads), slots(executor, lists.slot_count << log2);
    return run(executor, seed_range<part>(0, lists.part_count) + seed_range<split>(0, lists.split_count),
               part{tree, plan.matrix().scale(), lists.items.data(), lists.parts.data(), own.data(), lists.most_rows,
                    slots.data(), start, f, plus, done},
               split{lists.splits.data(), slots.data(), log2, plus, done});
}

}  // namespace copse
