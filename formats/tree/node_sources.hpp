// What the nodes of a new tree are made from, and how many there may be (tree_writer.hpp).
#pragma once

#include <algorithm>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/node_pairs.hpp>
#include <copse/formats/tree/open_nodes.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse {

/// What a new node is made from, a node or a node_pair for example, and where it goes: the item of a task.
template <class Source>
struct node_source {
    Source from;
    node_place to;
};

/// Bases of tasks that take places of leaves, of inner nodes.
struct takes_leaf_places {
    template <class Source>
    COPSE_HOST_DEVICE static bool takes(node_source<Source> const& item) {
        return item.to.level() == 0;
    }
    static std::int64_t places(tree_bounds const& bounds) { return bounds.leaf_places; }
};
struct takes_inner_places {
    template <class Source>
    COPSE_HOST_DEVICE static bool takes(node_source<Source> const& item) {
        return item.to.level() > 0;
    }
    static std::int64_t places(tree_bounds const& bounds) { return bounds.inner_places; }
};

/// What an operation makes at most. The memory for it is reserved before the run; what is not needed goes back.
struct building_bound {
    std::int64_t leaves = 0;       // places of leaves, those included that will be left out
    std::int64_t inner_nodes = 0;  // places of inner nodes, besides the root
    std::int64_t entries = 0;

    /// For one place for each node of A, and for each block of its wide leaves.
    template <class T>
    static building_bound of(hisparse<T> const& a) {
        node_census const& c = a.census();
        return {c.leaves() + c.wide_entries(), c.inner_nodes() + c.wide_leaves(), c.leaf_entries()};
    }
    /// For one place for each pair of nodes of op(A) and op(B).
    template <pairs Which, class T>
    static building_bound of(hisparse<T> const& a, hisparse<T> const& b) {
        building_bound const x = of(a), y = of(b);
        if (Which == pairs::both)
            return {std::min(x.leaves, y.leaves), std::min(x.inner_nodes, y.inner_nodes),
                    std::min(x.entries, y.entries)};
        return {x.leaves + y.leaves, x.inner_nodes + y.inner_nodes, x.entries + y.entries};
    }
};

}  // namespace copse
