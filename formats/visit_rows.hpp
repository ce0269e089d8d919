// Ways through a leaf other than entry by entry (visit_entries.hpp): its rows, its stretches, its blocks.
//
// Rows: a function for each row that has entries, which come side by side.
//
//   copse::for_each_row_of(w, tree, leaf, [&](std::int64_t row, copse::leaf_row<double> const& entries) {
//       double largest = 0;
//       for (int i = 0; i < entries.count; ++i) largest = std::max(largest, std::abs(entries.value(i)));
//       w.max(&row_norms[row], largest);              // other leaves have entries in this row, too
//   });
//
// Entries lie along diagonals (formats/leaves/leaf_order.hpp): they are sorted by row first. A worker of many lanes
// does so in its scratch memory, for as many rows at a time as fit: it reads the leaf once, and once more for each
// group of rows with 512 entries or fewer together. One core takes memory for all entries.
//
// Stretches: entries that follow one another along a diagonal or a row and have their values side by side. For
// functions that do better with several entries at once than with each alone.
//
//   copse::for_each_stretch(w, tree, leaf, [&](copse::entry_stretch<double> const& some) {
//       for (int i = 0; i < some.count; ++i)
//           use(some.row + i * some.row_step, some.column + i * some.column_step, some.value(i));
//   });
//
// Blocks of a wide leaf: each the entries in one block of d x d. For tasks that keep sums for d rows on chip.
//
//   copse::for_each_block(w, tree, leaf, [&](copse::node block) {
//       auto const rows = tree.rows_of(block);                 // at most d, whatever the leaf
//       auto sums = w.tile(y + rows.first, static_cast<int>(rows.count));
//       ...
//   });
//
// Such a block is a node of level 0 whose reference is the wide leaf's, and whose row and column are its own. It is
// read like a leaf, by for_each_entry() and for_each_pair().
#pragma once

#include <array>
#include <copse/formats/tree/node_blocks.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/sum_before.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace copse {

/// Calls f(block) for each block of a wide leaf, one after the other, and f(leaf) for another leaf. Collective: all
/// lanes of the worker call this and f. Throws argument_error on the host if `leaf` is no leaf.
template <class Worker, class T, class F>
COPSE_HOST_DEVICE void for_each_block(Worker&, tree_view<T> const& tree, node leaf, F f) {
    if (!detail::expect_node(leaf && leaf.reference.is_leaf(), "for_each_block()", "leaf", leaf)) return;
    if (leaf.reference.level() == 0) return f(leaf);
    detail::node_reader const& reader = reader_of(tree);
    int const log2 = tree.dimension_log2();
    auto const view = reader.template wide_leaf<T>(leaf);
    COPSE_NO_UNROLL
    for (int first = 0; first < view.count;) {
        node const block = detail::block_of_wide(reader, leaf, view.rows[first] >> log2, view.columns[first] >> log2);
        f(block);
        first += detail::numbers_of<T>(reader, block).count;
    }
}

namespace detail {

template <lanes_worker Worker, class T, class F>
COPSE_HOST_DEVICE void visit_tiled_blocks(Worker& w, tree_view<T> const& tree, node leaf, F f) {
    for_each_block(w, tree, leaf, f);
}
template <core_worker Worker, class T, class F>
void visit_tiled_blocks(Worker&, tree_view<T> const&, node leaf, F f) {
    f(leaf);
}

}  // namespace detail

/// The same for functions that keep a tile for the rows of a block and need no other bound of them. On a cpu, whose
/// tiles may have any size, f gets a wide leaf whole: it may have as many blocks as entries, and each is searched for.
template <class Worker, class T, class F>
COPSE_HOST_DEVICE void for_each_tiled_block(Worker& w, tree_view<T> const& tree, node leaf, F f) {
    if (!detail::expect_node(leaf && leaf.reference.is_leaf(), "for_each_tiled_block()", "leaf", leaf)) return;
    detail::visit_tiled_blocks(w, tree, leaf, f);
}

/// Entries (row + i row_step, column + i column_step) of op(A), i < count. A streak of a leaf with streaks has steps of
/// 1 and 1; neighbours in a row of a dense leaf have 0 and 1, or 1 and 0 where it is transposed.
template <class T>
struct entry_stretch {
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

// f(row, column, row_step, column_step, count, values), coordinates in the leaf; the stretches are divided among the
// lanes.

template <class Worker, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_stretches(Worker& w, diagonal_leaf_view<T> const& leaf, int log2, F f) {
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
COPSE_HOST_DEVICE COPSE_INLINE void visit_stretches(Worker& w, dense_leaf_view<T> const& leaf, int log2, F f) {
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

/// Calls f(entry_stretch<T>) for stretches that have all entries of a leaf, each once: streaks, what stands side by
/// side in rows of a dense leaf, and single entries. Each stretch is one lane's. All lanes of the worker must call
/// this; f is not collective. Throws argument_error on the host if `leaf` is no leaf.
template <class Worker, class T, class F>
COPSE_HOST_DEVICE void for_each_stretch(Worker& w, tree_view<T> const& tree, node leaf, F f) {
    if (!detail::expect_node(leaf && leaf.reference.is_leaf(), "for_each_stretch()", "leaf", leaf)) return;
    detail::node_reader const& reader = reader_of(tree);
    std::int64_t const first_row = detail::origin_of(reader, leaf, leaf.row),
                       first_column = detail::origin_of(reader, leaf, leaf.column);
    T const scale = tree.scale_of(leaf);
    auto const give = [&](int row, int column, int row_step, int column_step, int count, entry_values<T> values) {
        f(entry_stretch<T>{first_row + row, first_column + column, row_step, column_step, count, values, scale});
    };
    detail::with_kind(leaf.reference.kind(), [&](auto owner) {
        using owner_type = decltype(owner);
        if constexpr (requires { detail::visit_stretches(w, reader.template view_of<owner_type, T>(leaf), 0, give); }) {
            detail::visit_stretches(w, reader.template view_of<owner_type, T>(leaf), tree.dimension_log2(), give);
        } else {
            detail::entry_numbers const numbers = detail::numbers_of<T>(reader, leaf);
            detail::visit_stored_entries<T>(
                w, reader, leaf, numbers.first, numbers.count,
                [&](int, int row, int column, T value) { give(row, column, 0, 0, 1, &value); });
        }
    });
}

/// The entries of one row of a leaf, in no particular order; valid while the function runs.
template <class T>
struct leaf_row {
    int count;
    std::int64_t first_column;
    std::uint8_t const* columns;
    T const* values;
    T scale;

    COPSE_HOST_DEVICE std::int64_t column(int i) const { return first_column + columns[i]; }
    COPSE_HOST_DEVICE T value(int i) const { return scale * values[i]; }
};

namespace detail {

inline constexpr int most_leaf_rows = 256, rows_in_scratch_entries = 512;

/// Entries of rows first .. last - 1 of a leaf, sorted by row.
template <class T>
struct sorted_rows {
    T* values;
    std::uint8_t* columns;
    std::int32_t const* begins;  // of all rows of the leaf

    COPSE_HOST_DEVICE void put(std::int32_t at, int column, T value) const {
        values[at] = value;
        columns[at] = static_cast<std::uint8_t>(column);
    }
    template <class Worker, class F>
    COPSE_HOST_DEVICE void call(Worker& w, tree_view<T> const& tree, node leaf, int first, int last, F f) const {
        for (int row = first + w.rank(); row < last; row += w.size())
            if (int const count = begins[row + 1] - begins[row]; count > 0) {
                int const at = begins[row] - begins[first];
                f(std::int64_t{leaf.row} + row,
                  leaf_row<T>{count, leaf.column, columns + at, values + at, tree.scale_of(leaf)});
            }
    }
};

/// f(row, column, value as it is stored), coordinates in the block of d x d.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE void visit_block(Worker& w, tree_view<T> const& tree, node leaf, F f) {
    int const mask = tree.dimension() - 1;
    entry_numbers const numbers = numbers_of<T>(reader_of(tree), leaf);
    visit_stored_entries<T>(w, reader_of(tree), leaf, numbers.first, numbers.count,
                            [&](int, int row, int column, T value) { f(row & mask, column & mask, value); });
}

template <lanes_worker Worker>
COPSE_HOST_DEVICE std::byte* row_scratch(Worker& w, int bytes) {
    return w.template scratch<std::byte>(bytes).data();
}
template <core_worker Worker>
std::byte* row_scratch(Worker&, int) {
    return nullptr;
}

template <lanes_worker Worker, class T, class F>
COPSE_HOST_DEVICE void visit_rows(Worker& w, tree_view<T> const& tree, node leaf, std::byte* scratch, F f) {
    int const d = tree.dimension();
    auto* const values = reinterpret_cast<T*>(scratch);
    auto* const begins = reinterpret_cast<std::int32_t*>(values + rows_in_scratch_entries);
    auto* const next = begins + most_leaf_rows + 4;
    sorted_rows<T> const rows{values, reinterpret_cast<std::uint8_t*>(next + most_leaf_rows), begins};
    for (int row = w.rank(); row <= d; row += w.size()) begins[row] = 0;
    w.sync();
    visit_block(w, tree, leaf, [&](int row, int, T) { w.add(&begins[row], 1); });
    w.sync();
    sum_before(w, begins, d + 1);
    COPSE_NO_UNROLL
    for (int first = 0; first < d;) {
        int last = first + 1;  // a row has d entries at most, which fit
        while (last < d && begins[last + 1] - begins[first] <= rows_in_scratch_entries) ++last;
        for (int row = first + w.rank(); row < last; row += w.size()) next[row] = begins[row] - begins[first];
        w.sync();
        if (begins[last] > begins[first])
            visit_block(w, tree, leaf, [&](int row, int column, T value) {
                if (row >= first && row < last) rows.put(w.fetch_add(&next[row], 1), column, value);
            });
        w.sync();
        rows.call(w, tree, leaf, first, last, f);
        w.sync();
        first = last;
    }
}

template <core_worker Worker, class T, class F>
void visit_rows(Worker& w, tree_view<T> const& tree, node leaf, std::byte*, F f) {
    int const d = tree.dimension();
    std::array<std::int32_t, most_leaf_rows + 1> begins{};
    std::array<std::int32_t, most_leaf_rows> next;
    auto const count = [&](int row) -> std::int32_t& { return begins[static_cast<std::size_t>(row) + 1]; };
    visit_block(w, tree, leaf, [&](int row, int, T) { ++count(row); });
    for (int row = 0; row < d; ++row) {
        next[static_cast<std::size_t>(row)] = begins[static_cast<std::size_t>(row)];
        count(row) += begins[static_cast<std::size_t>(row)];
    }
    auto const entries = static_cast<std::size_t>(count(d - 1));
    auto const values = std::make_unique_for_overwrite<T[]>(entries);
    auto const columns = std::make_unique_for_overwrite<std::uint8_t[]>(entries);
    sorted_rows<T> const rows{values.get(), columns.get(), begins.data()};
    visit_block(w, tree, leaf,
                [&](int row, int column, T value) { rows.put(next[static_cast<std::size_t>(row)]++, column, value); });
    rows.call(w, tree, leaf, 0, d, f);
}

}  // namespace detail

/// scratch_bytes of a task that calls for_each_row_of(); its width is 32 or more.
template <class T>
inline constexpr std::size_t row_scratch_bytes = detail::rows_in_scratch_entries*(sizeof(T) + 1) +
                                                 (2 * detail::most_leaf_rows + 4) * sizeof(std::int32_t);

/// Calls f(row, leaf_row<T>) for each row of op(A) in which a leaf of any kind has entries, with all that the leaf has
/// there. A wide leaf is visited block by block: a row that several blocks have comes once for each. Each row is one
/// lane's. All lanes of the worker must call this; f is not collective, and does not call this again.
/// Throws argument_error on the host if `leaf` is no leaf, std::bad_alloc.
template <class Worker, class T, class F>
COPSE_HOST_DEVICE void for_each_row_of(Worker& w, tree_view<T> const& tree, node leaf, F f) {
    if (!detail::expect_node(leaf && leaf.reference.is_leaf(), "for_each_row_of()", "leaf", leaf)) return;
    std::byte* const scratch = detail::row_scratch(w, static_cast<int>(row_scratch_bytes<T>));
    for_each_block(w, tree, leaf, [&](node block) { detail::visit_rows(w, tree, block, scratch, f); });
}

}  // namespace copse
