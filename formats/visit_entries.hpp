// The entries of a leaf of any kind, shared among the lanes of a worker. In tasks of your own:
//
//   copse::for_each_entry(w, tree, leaf, [&](std::int64_t row, std::int64_t column, double value) { ... });
//
//   auto rows = tree.rows_of(leaf);                               // sums on chip, where the task has scratch_bytes
//   auto sums = w.tile(y + rows.first, static_cast<int>(rows.count));
//   copse::for_each_entry_together(w, tree, leaf, [&](copse::tree_entry<double> const& e) {
//       sums.add(e ? static_cast<int>(e.row - rows.first) : -1, e.value);     // every lane comes here, equally often
//   });
//   sums.close();
//
// A worker of one lane goes through the arrays entry by entry. A worker of many lanes loads 16 bytes of values at once
// in each lane, with their coordinates (formats/leaves/leaf_stretch.hpp).
#pragma once

#include <copse/formats/leaves/value_sign.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstdint>
#include <type_traits>

namespace copse::detail {

// Of leaves that are not wide.
template <class View>
COPSE_HOST_DEVICE auto stretch_of(View const& leaf, int, int) {
    return stretch_of(leaf);
}
template <visited What, class View, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_alone(View const& leaf, int, int, F f) {
    visit_alone<What>(leaf, f);
}

/// Visits entries first .. first + count - 1 of a wide leaf, numbered from 0, or all entries of another leaf. Kinds:
/// the kinds that the leaf can be. For many lanes f is called at one place in the code, whatever the kind: three places
/// would be three times as much code. Entries that are in no stretch, those of streaks, have a second place.
/// Values are given as they are stored: for callers with a factor, which has the sign (leaves/value_sign.hpp).
template <class T, visited What = visited::entries, leaf_kinds Kinds = leaf_kinds::wide, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_stored_entries(Worker& w, node_reader const& tree, node leaf, int first,
                                                         int count, F f) {
    if constexpr (Worker::size() > 1) {
        leaf_stretch<T> const list =
            with_leaf<T, Kinds>(tree, leaf, [&](auto const& view) { return stretch_of(view, first, count); });
        visit_stretch<What, Kinds>(w, list, tree.dimension_log2(), f);
        with_kind<Kinds>(leaf.reference.kind(), [&](auto owner) {
            using owner_type = decltype(owner);
            if constexpr (requires { visit_rest<What>(w, tree.template view_of<owner_type, T>(leaf), 0, f); })
                visit_rest<What>(w, tree.template view_of<owner_type, T>(leaf), list.count, f);
        });
    } else {
        with_leaf<T>(tree, leaf, [&](auto const& view) { visit_alone<What>(view, first, count, f); });
    }
}

/// The same with the values that op(A) has, but for its scale.
template <class T, visited What = visited::entries, leaf_kinds Kinds = leaf_kinds::wide, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_operand(Worker& w, node_reader const& tree, node leaf, int first, int count,
                                                  F f) {
    if constexpr (What == visited::positions) {
        visit_stored_entries<T, What, Kinds>(w, tree, leaf, first, count, f);
    } else {
        value_sign<T> const sign(leaf.reference);
        visit_stored_entries<T, What, Kinds>(
            w, tree, leaf, first, count,
            [&](int i, int row, int column, T const& value) { f(i, row, column, sign(value)); });
    }
}

/// Visits all entries of a leaf of any kind.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_entries(Worker& w, node_reader const& tree, node leaf, F f) {
    int const count = leaf.reference.is_wide_leaf() ? tree.wide_count(leaf) : 0;
    visit_operand<T>(w, tree, leaf, 0, count, f);
}

/// Which entries of a leaf are a node's: those of one block, where the node is a block of a wide leaf (node_pairs.hpp).
struct entry_numbers {
    int first = 0;
    int count = 0;
};
template <class T>
COPSE_HOST_DEVICE entry_numbers numbers_of(node_reader const& tree, node leaf) {
    if (!leaf.reference.is_wide_leaf()) return {};
    if (leaf.reference.level() > 0) return {0, tree.wide_count(leaf)};
    int const mask = (1 << (2 * tree.dimension_log2())) - 1;
    entry_bounds const bounds =
        bounds_in_block(tree.wide_leaf<T>(leaf), tree.order(), leaf.reference.transposed(),
                        static_cast<int>(leaf.row) & mask, static_cast<int>(leaf.column) & mask);
    return {bounds.first, bounds.last - bounds.first};
}
/// The row of op(A), or the column, from which the coordinates of a leaf's entries count. `begin`: the node's.
COPSE_HOST_DEVICE inline std::int64_t origin_of(node_reader const& tree, node leaf, std::uint32_t begin) {
    return leaf.reference.is_block_of_wide() ? begin >> (2 * tree.dimension_log2()) << (2 * tree.dimension_log2())
                                             : begin;
}

/// visit_stretch() for a function that is collective: f(mine, i, row, column, value) is called equally often in all
/// lanes, with mine == false where a lane has no entry.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_stretch_together(Worker& w, leaf_stretch<T> const& s, int log2, F f) {
    int constexpr values_per_load = static_cast<int>(16 / sizeof(T));
    bool const single = s.count <= w.size();
    int const step = single ? 1 : values_per_load;
    COPSE_NO_UNROLL
    for (int first = single ? 0 : -s.template skew<values_per_load>(); first < s.count; first += w.size() * step) {
        int const k = first + w.rank() * step;
        lane_entries<T, values_per_load> e{};
        if (k < s.count) e = load_entries<visited::entries, leaf_kinds::wide, values_per_load>(s, log2, k, single, w);
        COPSE_UNROLL
        for (int j = 0; j < values_per_load; ++j)
            if (j < step)
                f((e.mine >> j & 1) != 0, k + j, e.rows[j], e.columns[j], e.values[static_cast<std::size_t>(j)]);
    }
}

/// Values are given as they are stored, as by visit_stored_entries().
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_stored_together(Worker& w, node_reader const& tree, node leaf,
                                                          entry_numbers numbers, F f) {
    if constexpr (Worker::size() > 1) {
        leaf_stretch<T> const list =
            with_leaf<T>(tree, leaf, [&](auto const& view) { return stretch_of(view, numbers.first, numbers.count); });
        visit_stretch_together(w, list, tree.dimension_log2(), f);
        with_kind(leaf.reference.kind(), [&](auto owner) {
            using owner_type = decltype(owner);
            if constexpr (requires { visit_rest_together(w, tree.template view_of<owner_type, T>(leaf), 0, 0, f); })
                visit_rest_together(w, tree.template view_of<owner_type, T>(leaf), list.count,
                                    leaf.reference.entries() - list.count, f);
        });
    } else {
        visit_stored_entries<T>(w, tree, leaf, numbers.first, numbers.count,
                                [&](int i, int row, int column, T value) { f(true, i, row, column, value); });
    }
}
/// The same with the values that op(A) has, but for its scale.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_entries_together(Worker& w, node_reader const& tree, node leaf,
                                                           entry_numbers numbers, F f) {
    value_sign<T> const sign(leaf.reference);
    visit_stored_together<T>(w, tree, leaf, numbers, [&](bool mine, int i, int row, int column, T value) {
        f(mine, i, row, column, sign(value));
    });
}

/// All entries of a leaf, or of a block of one, by one core: f(i, row, column, value), coordinates of op(A), values as
/// they are stored. Only blocks of wide leaves mask their coordinates. In a streak's loop rows and columns then count
/// up, and the compiler can move what a function makes of them out of the loop.
template <class T, class F>
COPSE_INLINE void visit_on_core(node_reader const& tree, node leaf, F f) {
    std::int64_t const first_row = leaf.row, first_column = leaf.column;
    auto const give = [&](int i, int row, int column, T const& value) {
        f(i, first_row + row, first_column + column, value);
    };
    with_kind(leaf.reference.kind(), [&](auto owner) {
        auto const view = tree.template view_of<decltype(owner), T>(leaf);
        if constexpr (decltype(owner)::kind == node_kind::wide) {
            entry_numbers const numbers = numbers_of<T>(tree, leaf);
            int const mask = (1 << (tree.dimension_log2() * (leaf.reference.level() + 1))) - 1;
            visit_alone<visited::entries>(
                view, numbers.first, numbers.count,
                [&](int i, int row, int column, T const& v) { give(numbers.first + i, row & mask, column & mask, v); });
        } else {
            visit_alone<visited::entries>(view, give);
        }
    });
}

/// Entries of a leaf, shared by the lanes: f(place, row, column, value), coordinates of op(A), values as they are
/// stored.
template <class T, lanes_worker Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_leaf(Worker& w, node_reader const& tree, node leaf, F f) {
    entry_numbers const numbers = numbers_of<T>(tree, leaf);
    std::int64_t const first_row = origin_of(tree, leaf, leaf.row), first_column = origin_of(tree, leaf, leaf.column);
    visit_stored_entries<T>(w, tree, leaf, numbers.first, numbers.count, [&](int i, int row, int column, T value) {
        f(static_cast<std::int32_t>(numbers.first + i), first_row + row, first_column + column, value);
    });
}
template <class T, core_worker Worker, class F>
COPSE_INLINE void visit_leaf(Worker&, node_reader const& tree, node leaf, F f) {
    visit_on_core<T>(tree, leaf, f);
}

/// The same equally often in all lanes: f(whether this lane has an entry, place, row, column, value).
template <class T, lanes_worker Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_leaf_together(Worker& w, node_reader const& tree, node leaf, F f) {
    entry_numbers const numbers = numbers_of<T>(tree, leaf);
    std::int64_t const first_row = origin_of(tree, leaf, leaf.row), first_column = origin_of(tree, leaf, leaf.column);
    visit_stored_together<T>(w, tree, leaf, numbers, [&](bool mine, int i, int row, int column, T value) {
        f(mine, static_cast<std::int32_t>(numbers.first + i), first_row + row, first_column + column, value);
    });
}
template <class T, core_worker Worker, class F>
COPSE_INLINE void visit_leaf_together(Worker&, node_reader const& tree, node leaf, F f) {
    visit_on_core<T>(tree, leaf, [&](std::int32_t place, std::int64_t row, std::int64_t column, T value) {
        f(true, place, row, column, value);
    });
}

}  // namespace copse::detail

namespace copse {

/// An entry of op(A), or, where a lane has none, row == -1 and a value of zero.
template <class T>
struct tree_entry {
    std::int64_t row = -1;
    std::int64_t column = -1;
    T value{};               // times the matrix's scale
    std::int32_t place = 0;  // see for_each_entry()

    COPSE_HOST_DEVICE explicit operator bool() const { return row >= 0; }
};

/// Calls f(row, column, value), or f(row, column, value, place) if f takes four arguments, for each entry of a leaf of
/// any kind. Coordinates are those of op(A); the value has the matrix's scale. place: the entry's number among the
/// values of its leaf, 0 <= place < d * d (in a wide leaf: < 2^20), the same for A and for A^T, and different for each
/// entry of the leaf; some numbers may be missing.
/// All lanes of the worker must call this; they share the entries, in no particular order. f is not collective: some
/// lanes may call f while others have no entry, so f must not call collective members of the worker.
/// Throws argument_error on the host if `leaf` is no leaf.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void for_each_entry(Worker& w, tree_view<T> const& tree, node leaf, F f) {
    if (!detail::expect_node(leaf && leaf.reference.is_leaf(), "for_each_entry()", "leaf", leaf)) return;
    detail::node_reader const& reader = reader_of(tree);
    T const scale = tree.scale_of(leaf);
    auto const give = [&](std::int32_t place, std::int64_t row, std::int64_t column, T value) {
        if constexpr (requires { f(row, column, value, place); })
            f(row, column, scale * value, place);
        else
            f(row, column, scale * value);
    };
    detail::visit_leaf<T>(w, reader, leaf, give);
}

/// The same for a function that is collective: calls f(tree_entry<T>) equally often in all lanes of the worker. A lane
/// that has no entry in a round gets one for which !entry. So f may call collective members: tiles, syncs, reductions.
/// If f calls none, for_each_entry() is faster for leaves with streaks.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void for_each_entry_together(Worker& w, tree_view<T> const& tree, node leaf, F f) {
    if (!detail::expect_node(leaf && leaf.reference.is_leaf(), "for_each_entry_together()", "leaf", leaf)) return;
    detail::node_reader const& reader = reader_of(tree);
    T const scale = tree.scale_of(leaf);
    detail::visit_leaf_together<T>(w, reader, leaf,
                                   [&](bool mine, std::int32_t place, std::int64_t row, std::int64_t column, T value) {
                                       f(mine ? tree_entry<T>{row, column, scale * value, place} : tree_entry<T>{});
                                   });
}

/// A call with the wrong type: the tree's values are not of type Wrong.
template <class Wrong, class T, class Worker, class F>
requires(!std::is_same_v<Wrong, T>) COPSE_HOST_DEVICE void for_each_entry(Worker&, tree_view<T> const&, node, F) {
    static_assert(std::is_same_v<Wrong, T>,
                  "copse: for_each_entry<T>: the tree has values of another type; call it without <T>");
}

}  // namespace copse
