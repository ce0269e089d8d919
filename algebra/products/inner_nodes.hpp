// The way from the root of a tree to its leaves, as tasks: an inner node pushes its children. What happens to the
// leaves is the operation's own business, and its list of tasks says it.
//
//   root --> inner_few, inner_many, inner_dense --> the first of the leaves' tasks that takes the leaf
#pragma once

#include <copse/formats/node_bins.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

template <class... Tasks>
struct task_list {};

/// Leaves: a task_list; of its tasks the first that takes a leaf gets it.
template <class Leaves, int Width, node_kind Kind, std::int64_t Above, std::int64_t UpTo>
struct inner_node_task;

template <class Leaves>
using inner_few = inner_node_task<Leaves, 8, node_kind::sparse, 0, 8>;
template <class Leaves>
using inner_many = inner_node_task<Leaves, 128, node_kind::sparse, 8, any_size>;
template <class Leaves>
using inner_dense = inner_node_task<Leaves, 128, node_kind::dense, 0, any_size>;

template <class... Leaves, int Width, node_kind Kind, std::int64_t Above, std::int64_t UpTo>
struct inner_node_task<task_list<Leaves...>, Width, Kind, Above, UpTo> : takes_inner_nodes<Kind, Above, UpTo> {
    using item = node;
    using leaves = task_list<Leaves...>;
    static constexpr int width = Width;
    static constexpr char const* name = Kind == node_kind::dense ? "dense inner node"
                                        : UpTo == 8              ? "inner node, up to 8"
                                                                 : "inner node, larger";
    static constexpr int resident_blocks = 7;  // 8 would spill 24 bytes where the device controller is compiled
    node_reader tree;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        push_children<Leaves..., inner_few<leaves>, inner_many<leaves>, inner_dense<leaves>>(w, tree, n);
    }
};

}  // namespace copse::detail
