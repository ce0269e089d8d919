// The entries of a leaf of any kind, shared among the lanes of a worker. In tasks of your own:
//
//   copse::for_each_entry<double>(w, tree, leaf, [&](std::int64_t row, std::int64_t column, double value) { ... });
//
// A worker of one lane goes through the arrays entry by entry. A worker of many lanes loads 16 bytes of values at once
// in each lane, with their coordinates (formats/leaves/leaf_stretch.hpp).
#pragma once

#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

// Of leaves that have no parts.
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
template <class T, visited What = visited::entries, leaf_kinds Kinds = leaf_kinds::wide, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_part(Worker& w, tree_view const& tree, node leaf, int first, int count, F f) {
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

/// Visits all entries of a leaf of any kind.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_entries(Worker& w, tree_view const& tree, node leaf, F f) {
    int const count = leaf.reference.is_wide_leaf() ? tree.wide_count(leaf) : 0;
    visit_part<T>(w, tree, leaf, 0, count, f);
}

}  // namespace copse::detail

namespace copse {

/// Calls f(row, column, value) for each entry of a leaf of any kind. Coordinates are those of op(A), the whole matrix,
/// transposed if the tree's root is. Values are as stored, without the matrix's scale (hisparse::scale()). All lanes of
/// the worker must call this; they share the entries, in no particular order. f is not collective: some lanes may call
/// f while others have no entry.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void for_each_entry(Worker& w, tree_view const& tree, node leaf, F f) {
    detail::visit_entries<T>(w, tree, leaf, [&](int, int row, int column, T value) {
        f(std::int64_t{leaf.row} + row, std::int64_t{leaf.column} + column, value);
    });
}

}  // namespace copse
