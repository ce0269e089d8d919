// A matrix made from the entries of one, or of two: for each place one leaf from what is there (map_entries.hpp,
// hisparse_edit.hpp).
//
// An Entries says what a place is made from:
//
//   using source                         node, or node_pair
//   push_children<Tasks...>(w, out, i)   for the place of an inner node: pushes an item for each child, or writes it
//   call_out(w, source, put)             for a leaf's: put(row, column, value) for each entry
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree_building.hpp>
#include <copse/formats/tree_writer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/run.hpp>
#include <cstddef>

namespace copse::detail {

template <class T, class Entries>
struct write_mapped_leaf : takes_leaf_places {
    using item = node_source<typename Entries::source>;
    static constexpr int width = 128;
    static constexpr int resident_blocks = 5;
    static constexpr char const* name = "a leaf from its entries";
    static constexpr std::size_t scratch_bytes = tree_writer<T>::leaf_scratch_bytes;
    Entries entries;
    tree_writer<T> out;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
        out.write_leaf(w, i.to, [&](auto put) { entries.call_out(w, i.from, put); });
    }
};
template <class T, class Entries>
struct open_mapped_node : takes_inner_places {
    using item = node_source<typename Entries::source>;
    static constexpr int width = 32;
    static constexpr int resident_blocks = 6;
    static constexpr char const* name = "an inner node from its children";
    static constexpr std::size_t scratch_bytes = tree_writer<T>::inner_scratch_bytes;
    Entries entries;
    tree_writer<T> out;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
        entries.template push_children<write_mapped_leaf<T, Entries>, open_mapped_node>(w, out, i);
    }
};

template <class T, class Executor, class Entries>
hisparse<T> mapped(Executor& executor, char const* name, hisparse<T> const& like, building_bound const& bound,
                   Entries const& entries, typename Entries::source const& root, bool any) {
    tree_building<T> made(executor, name, like.row_count(), like.column_count(), like.node_dimension(),
                          any ? bound : building_bound());
    if (any) {
        using leaf = write_mapped_leaf<T, Entries>;
        using inner = open_mapped_node<T, Entries>;
        run(executor, made.template seed<leaf, inner>(root), inner{{}, entries, made.writer()},
            leaf{{}, entries, made.writer()});
    }
    return made.finish();
}

}  // namespace copse::detail
