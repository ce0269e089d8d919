// The way from the root of a tree to its leaves, as tasks: an inner node pushes its children. What happens to the
// leaves is the operation's own business, and its list of tasks says it.
//
//   root --> inner_few, inner_many, inner_dense --> the first of the leaves' tasks that takes the leaf
#pragma once

#include <copse/algebra/node_bins.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/seed.hpp>
#include <cstdint>
#include <tuple>

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
    tree_view tree;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        push_children<Leaves..., inner_few<leaves>, inner_many<leaves>, inner_dense<leaves>>(w, tree, n);
    }
};

/// The root, in the entry of the task that takes it; the others empty.
template <class... Tasks>
seed_list<Tasks...> seed_root(node root) {
    seed_list<Tasks...> seeds;
    auto place = [&]<class Task>(seed_entry<Task>& entry) {
        if constexpr (requires { Task::takes(root.reference); })
            if (root && Task::takes(root.reference)) entry.items.push_back(root);
    };
    std::apply([&](auto&... entry) { (place(entry), ...); }, seeds.entries);
    return seeds;
}

}  // namespace copse::detail
