// The way from the root of a tree to its leaves, as tasks: an inner node pushes its children. What happens to the
// leaves is the operation's own business, and its list of tasks says it.
//
//   root --> inner_few, inner_many, inner_dense --> the first of the leaves' tasks that takes the leaf
#pragma once

#include <copse/formats/node_bins.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <type_traits>

namespace copse::detail {

/// Tasks of which each says what it takes, and takes no inner node.
template <class... Tasks>
struct task_list {};
/// Users' tasks for leaves. One that does not say what it takes takes every leaf.
template <class... Tasks>
struct leaf_tasks {};

/// Leaves: one of the two; of its tasks the first that takes a leaf gets it.
template <class Leaves, int Width, node_kind Kind, std::int64_t Above, std::int64_t UpTo>
struct inner_node_task;

template <class Leaves>
using inner_few = inner_node_task<Leaves, 8, node_kind::sparse, 0, 8>;
template <class Leaves>
using inner_many = inner_node_task<Leaves, 128, node_kind::sparse, 8, any_size>;
template <class Leaves>
using inner_dense = inner_node_task<Leaves, 128, node_kind::dense, 0, any_size>;

template <template <class...> class List, class... Leaves, int Width, node_kind Kind, std::int64_t Above,
          std::int64_t UpTo>
struct inner_node_task<List<Leaves...>, Width, Kind, Above, UpTo> : takes_inner_nodes<Kind, Above, UpTo> {
    using item = node;
    using leaves = List<Leaves...>;
    static constexpr int width = Width;
    static constexpr char const* name = Kind == node_kind::dense ? "dense inner node"
                                        : UpTo == 8              ? "inner node, up to 8"
                                                                 : "inner node, larger";
    static constexpr int resident_blocks = 7;  // 8 would spill 24 bytes where the device controller is compiled
    node_reader tree;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        if constexpr (std::is_same_v<leaves, task_list<Leaves...>>)
            push_children<Leaves..., inner_few<leaves>, inner_many<leaves>, inner_dense<leaves>>(w, tree, n);
        else
            push_children<inner_few<leaves>, inner_many<leaves>, inner_dense<leaves>, Leaves...>(w, tree, n);
    }
};

}  // namespace copse::detail
