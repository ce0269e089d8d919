// The seeds of runs that begin at the root of a tree, or at the roots of two, and bring the capacities of the queues:
//
//   copse::run(executor, copse::seed_root<visit>(a), visit{a.tree(), ...});
//   copse::run(executor, copse::seed_root<visit>(a) + copse::seed_range<scale>(0, n), visit{...}, scale{...});
//
// The queue of every task of the run whose item is a node has room for all nodes that the task can get, as the matrix's
// census counts them: a task pushes each child of a node once, to one task. A run that pushes nodes more often gives
// the queue its capacity by run_options; capacities that the options name are kept.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/formats/node_bins.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace copse {

class node_place;

/// What the nodes of the run are counted by.
struct tree_bounds {
    node_census nodes;              // of all trees that have seeds
    pair_bounds pairs = {};         // pairs of nodes of two trees
    std::int64_t leaf_places = 0;   // of nodes that are made (tree_writer.hpp)
    std::int64_t inner_places = 0;  // the same of inner nodes
};

/// A seed_list with the bounds of its trees' queues.
template <class... Tasks>
struct tree_seeds : seed_list<Tasks...> {
    tree_bounds bounds;
};

namespace detail {

/// An item in the entry of the first task that takes it; the others are empty. takes(task's type): whether it does.
template <class... Tasks, class Item, class Takes>
seed_list<Tasks...> seeds_with(Item const& item, Takes takes) {
    seed_list<Tasks...> seeds;
    bool placed = false;
    auto const place = [&]<class Task>(seed_entry<Task>& entry) {
        if constexpr (std::is_same_v<typename Task::item, Item>) {
            if (placed || !takes.template operator()<Task>()) return;
            entry.items.push_back(item);
            placed = true;
        }
    };
    std::apply([&](auto&... entry) { (place(entry), ...); }, seeds.entries);
    return seeds;
}
template <class... Tasks>
seed_list<Tasks...> root_seeds(node root) {
    return seeds_with<Tasks...>(root, [&]<class Task>() { return root && takes_node<Task>(root.reference); });
}

inline void add_census(node_census& sum, node_census const& more) {
    for (std::size_t level = 0; level < level_count; ++level)
        for (std::size_t kind = 0; kind < node_kind_count; ++kind) {
            for (std::size_t c = 0; c < size_class_count; ++c)
                sum.visits[level][kind][c] += more.visits[level][kind][c];
            sum.entries[level][kind] += more.entries[level][kind];
        }
}
inline tree_bounds operator+(tree_bounds a, tree_bounds const& b) {
    add_census(a.nodes, b.nodes);
    add_census(a.pairs.a, b.pairs.a);
    add_census(a.pairs.b, b.pairs.b);
    a.pairs.either = a.pairs.either || b.pairs.either;
    a.pairs.blocks += b.pairs.blocks;
    a.leaf_places += b.leaf_places;
    a.inner_places += b.inner_places;
    return a;
}

/// Gives the queue of Task the capacity that the bounds ask for, if its items are nodes, pairs or places of nodes, and
/// the options name no capacity for it.
template <class Task>
void reserve_queue(run_options& options, tree_bounds const& bounds) {
    if (options.names_capacity<Task>()) return;
    if constexpr (std::is_same_v<typename Task::item, node>) {
        if constexpr (requires { Task::visits(bounds.nodes); })
            options.capacity<Task>(Task::visits(bounds.nodes), 0, 0);
        else
            options.capacity<Task>(bounds.nodes.nodes(), 0, 0);
    } else if constexpr (requires { Task::visits(bounds.pairs); }) {
        options.capacity<Task>(Task::visits(bounds.pairs), 0, 0);
    } else if constexpr (std::is_same_v<typename Task::item, node_pair>) {
        options.capacity<Task>(bounds.pairs.all(), 0, 0);
    } else if constexpr (requires(typename Task::item item) {
                             requires std::is_same_v<decltype(item.to), node_place>;
                         }) {
        if constexpr (requires { Task::places(bounds); })
            options.capacity<Task>(Task::places(bounds), 0, 0);
        else
            options.capacity<Task>(bounds.leaf_places + bounds.inner_places, 0, 0);
    }
}

template <class... Tasks>
run_options with_room(run_options options, tree_bounds const& bounds) {
    (reserve_queue<Tasks>(options, bounds), ...);
    return options;
}

}  // namespace detail

/// The root of op(A), for the first of Tasks that takes it (node_bins.hpp); no seed if A has no entries.
template <class... Tasks, class T>
tree_seeds<Tasks...> seed_root(hisparse<T> const& a) {
    return {detail::root_seeds<Tasks...>(a.root()), {a.census()}};
}

template <class... A, class... B>
tree_seeds<A..., B...> operator+(tree_seeds<A...> a, seed_list<B...> b) {
    return {static_cast<seed_list<A...>&&>(a) + std::move(b), a.bounds};
}
template <class... A, class... B>
tree_seeds<A..., B...> operator+(seed_list<A...> a, tree_seeds<B...> b) {
    return {std::move(a) + static_cast<seed_list<B...>&&>(b), b.bounds};
}
/// Two trees in one run: each queue has room for the nodes of both.
template <class... A, class... B>
tree_seeds<A..., B...> operator+(tree_seeds<A...> a, tree_seeds<B...> b) {
    using detail::operator+;
    tree_bounds const bounds = a.bounds + b.bounds;
    return {static_cast<seed_list<A...>&&>(a) + static_cast<seed_list<B...>&&>(b), bounds};
}

/// run() of the executor, with room in the queues for all nodes that a walk over the trees meets. options: capacities
/// given there are kept. Throws what run() throws.
template <any_executor Executor, class... Seeded, class... Tasks>
run_report run(Executor& executor, run_options const& options, tree_seeds<Seeded...> const& seeds,
               Tasks const&... tasks) {
    return run(executor, detail::with_room<Tasks...>(options, seeds.bounds),
               static_cast<seed_list<Seeded...> const&>(seeds), tasks...);
}
template <any_executor Executor, class... Seeded, class... Tasks>
run_report run(Executor& executor, tree_seeds<Seeded...> const& seeds, Tasks const&... tasks) {
    return run(executor, run_options(), seeds, tasks...);
}

}  // namespace copse
