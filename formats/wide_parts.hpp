// The parts of a wide leaf, each the entries in one block of d x d: for tasks that keep sums for d rows on chip.
//
//   copse::for_each_part(w, tree, leaf, [&](copse::node part) {
//       auto const rows = tree.rows_of(part);                 // at most d, whatever the leaf
//       auto sums = w.tile(y + rows.first, static_cast<int>(rows.count));
//       ...
//   });
//
// A part is a node of level 0 whose reference is the wide leaf's, and whose row and column are the block's. It is read
// like a leaf, by for_each_entry() and for_each_pair().
#pragma once

#include <copse/formats/tree/node_blocks.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstdint>

namespace copse {

/// Calls f(part) for each part of a wide leaf, one after the other, and f(leaf) for another leaf. Collective: all lanes
/// of the worker call this and f. Throws argument_error on the host if `leaf` is no leaf.
template <class Worker, class T, class F>
COPSE_HOST_DEVICE void for_each_part(Worker&, tree_view<T> const& tree, node leaf, F f) {
    if (!detail::expect_node(leaf && leaf.reference.is_leaf(), "for_each_part()", "leaf", leaf)) return;
    if (leaf.reference.level() == 0) return f(leaf);
    detail::node_reader const& reader = reader_of(tree);
    int const log2 = tree.dimension_log2();
    auto const view = reader.template wide_leaf<T>(leaf);
    COPSE_NO_UNROLL
    for (int first = 0; first < view.count;) {
        node const part = detail::part_of_wide(reader, leaf, view.rows[first] >> log2, view.columns[first] >> log2);
        f(part);
        first += detail::part_of<T>(reader, part).count;
    }
}

namespace detail {

template <lanes_worker Worker, class T, class F>
COPSE_HOST_DEVICE void visit_tiled_parts(Worker& w, tree_view<T> const& tree, node leaf, F f) {
    for_each_part(w, tree, leaf, f);
}
template <core_worker Worker, class T, class F>
void visit_tiled_parts(Worker&, tree_view<T> const&, node leaf, F f) {
    f(leaf);
}

}  // namespace detail

/// The same for functions that keep a tile for the rows of a part and need no other bound of them. On a cpu, whose
/// tiles may have any size, f gets a wide leaf whole: it may have as many parts as entries, and each is searched for.
template <class Worker, class T, class F>
COPSE_HOST_DEVICE void for_each_tiled_part(Worker& w, tree_view<T> const& tree, node leaf, F f) {
    if (!detail::expect_node(leaf && leaf.reference.is_leaf(), "for_each_tiled_part()", "leaf", leaf)) return;
    detail::visit_tiled_parts(w, tree, leaf, f);
}

}  // namespace copse
