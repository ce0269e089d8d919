// Which task works on which nodes: a queue for each node kind and size range (hisparse §4.1, Figure 3).
//
// A task that takes nodes says in one line which ones. The bound of its queue follows from the matrix's census:
//
//     struct visit_small : copse::takes_leaves<copse::node_kind::sparse, 0, 32> { using item = copse::node; ... };
//     copse::push_children<visit_small, visit_large>(w, tree, n);     // each into the queue of the first that takes it
//
// The root goes into its queue by seed_root() (tree_seeds.hpp), which also gives the queues their capacity.
#pragma once

#include <copse/formats/node_census.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/push_one_of.hpp>
#include <cstdint>

namespace copse {

inline constexpr std::int64_t any_size = child_reference::most_wide_entries;

/// Base of a task that takes leaves of one kind with more than Above and at most UpTo entries (powers of two, or 0).
template <node_kind Kind, std::int64_t Above = 0, std::int64_t UpTo = any_size>
struct takes_leaves {
    COPSE_HOST_DEVICE static bool takes(child_reference r) {
        return r.level() == 0 && r.kind() == Kind && r.entries() > Above && r.entries() <= UpTo;
    }
    static std::int64_t visits(node_census const& census) { return census.leaves(Kind, Above, UpTo); }
};

/// Base of a task that takes inner nodes of one kind with more than Above and at most UpTo children.
template <node_kind Kind, std::int64_t Above = 0, std::int64_t UpTo = any_size>
struct takes_inner_nodes {
    COPSE_HOST_DEVICE static bool takes(child_reference r) {
        return r.level() > 0 && r.kind() == Kind && r.entries() > Above && r.entries() <= UpTo;
    }
    static std::int64_t visits(node_census const& census) { return census.inner_nodes(Kind, Above, UpTo); }
};

namespace detail {

template <class Task>
COPSE_HOST_DEVICE bool takes_node(child_reference r) {
    if constexpr (requires { Task::takes(r); })
        return Task::takes(r);
    else
        return true;
}

}  // namespace detail

/// Pushes a node into the queue of the first of Tasks that takes it; a task that does not say what it takes takes all.
template <class... Tasks, class Worker>
COPSE_HOST_DEVICE void push_node(Worker& worker, node n) {
    int which = 0;
    (void)((detail::takes_node<Tasks>(n.reference) || (++which, false)) || ...);
    push_one_of<Tasks...>(worker, which, n);
}

/// Pushes the children of an inner node; the worker's lanes share them. tree: a tree_view.
template <class... Tasks, class Worker, class Tree>
COPSE_HOST_DEVICE void push_children(Worker& worker, Tree const& tree, node n) {
    int const slots = tree.child_count(n);
    for (int i = worker.rank(); i < slots; i += worker.size())
        if (node const child = tree.child(n, i)) push_node<Tasks...>(worker, child);
}

}  // namespace copse
