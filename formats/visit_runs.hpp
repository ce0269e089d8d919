// The runs of a leaf: entries that follow one another along a diagonal or a row and have their values side by side.
// For functions that do better with several entries at once than with each alone.
//
//   copse::for_each_run(w, tree, leaf, [&](copse::entry_run<double> const& run) {
//       for (int i = 0; i < run.count; ++i)
//           use(run.row + i * run.row_step, run.column + i * run.column_step, run.value(i));
//   });
#pragma once

#include <copse/formats/tree_view.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse {

/// Entries (row + i row_step, column + i column_step) of op(A), i < count. A streak of a leaf with streaks has steps of
/// 1 and 1; neighbours in a row of a dense leaf have 0 and 1, or 1 and 0 where it is transposed.
template <class T>
struct entry_run {
    std::int64_t row;
    std::int64_t column;
    std::int32_t row_step;
    std::int32_t column_step;
    std::int32_t count;
    entry_values<T> values;  // as they are stored; valid while the function runs
    T scale;                 // tree_view::scale_of() the leaf

    COPSE_HOST_DEVICE T value(int i) const { return scale * values[i]; }
};

namespace detail {

// f(row, column, row_step, column_step, count, values), coordinates in the leaf; the lanes share the runs.

template <class Worker, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_runs(Worker& w, diagonal_leaf_view<T> const& leaf, int log2, F f) {
    auto const alone = [&](int, int row, int column, T value) { f(row, column, 0, 0, 1, entry_values<T>(&value)); };
    if constexpr (Worker::size() > 1)
        visit_stretch<visited::entries>(w, stretch_of(leaf.others), log2, alone);
    else
        visit_alone<visited::entries>(leaf.others, alone);
    int k = 0;
    for (leaf_streak<T> const streak : leaf.each_streak())
        if (k++ % w.size() == w.rank()) f(streak.row, streak.column, 1, 1, streak.count, streak.values);
}

template <class Worker, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_runs(Worker& w, dense_leaf_view<T> const& leaf, int log2, F f) {
    int const d = 1 << log2;
    for (int row = w.rank(); row < d; row += w.size())
        for (int first = 0; first < d;) {
            int last = first;
            while (last < d && leaf.is_entry(row << log2 | last)) ++last;
            if (last > first)
                f(leaf.transposed ? first : row, leaf.transposed ? row : first, leaf.transposed ? 1 : 0,
                  leaf.transposed ? 0 : 1, last - first, leaf.values.from(row << log2 | first));
            first = last + 1;
        }
}

}  // namespace detail

/// Calls f(entry_run<T>) for runs that have all entries of a leaf, each once: streaks, what stands side by side in rows
/// of a dense leaf, and runs of one entry. Each run is one lane's. All lanes of the worker must call this; f is not
/// collective. Throws argument_error on the host if `leaf` is no leaf.
template <class Worker, class T, class F>
COPSE_HOST_DEVICE void for_each_run(Worker& w, tree_view<T> const& tree, node leaf, F f) {
    if (!detail::expect_node(leaf && leaf.reference.is_leaf(), "for_each_run()", "leaf", leaf)) return;
    detail::node_reader const& reader = reader_of(tree);
    std::int64_t const first_row = detail::origin_of(reader, leaf, leaf.row),
                       first_column = detail::origin_of(reader, leaf, leaf.column);
    T const scale = tree.scale_of(leaf);
    auto const run = [&](int row, int column, int row_step, int column_step, int count, entry_values<T> values) {
        f(entry_run<T>{first_row + row, first_column + column, row_step, column_step, count, values, scale});
    };
    detail::with_kind(leaf.reference.kind(), [&](auto owner) {
        using owner_type = decltype(owner);
        if constexpr (requires { detail::visit_runs(w, reader.template view_of<owner_type, T>(leaf), 0, run); }) {
            detail::visit_runs(w, reader.template view_of<owner_type, T>(leaf), tree.dimension_log2(), run);
        } else {
            detail::leaf_part const part = detail::part_of<T>(reader, leaf);
            detail::visit_stored_part<T>(w, reader, leaf, part.first, part.count,
                                         [&](int, int row, int column, T value) { run(row, column, 0, 0, 1, &value); });
        }
    });
}

}  // namespace copse
