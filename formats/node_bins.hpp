// Which task works on which nodes: a queue for each node kind and size range (hisparse §4.1, Figure 3).
//
// A task that takes nodes says in one line which ones. The bound of its queue follows from the matrix's census:
//
//     struct visit_small : copse::takes_leaves<copse::node_kind::sparse, 0, 32> { using item = copse::node; ... };
//     copse::push_children<visit_small, visit_large>(w, tree, n);     // each into the queue of the first that takes it
//
// The root goes into its queue by seed_root() (tree_seeds.hpp), which also gives the queues their capacity.
//
// Pairs of nodes of two trees: a queue for each combination of kinds and sizes, as sums of
// matrices have them (hisparse §6). Tasks are asked in their order:
//
//     using copse::node_kind;
//     struct short_lists : copse::takes_leaf_pairs<0, 64, node_kind::sparse> { using item = copse::node_pair; ... };
//     struct lists : copse::takes_leaf_pairs<64, 2 * copse::any_size, node_kind::sparse> { ... };
//     struct others : copse::takes_leaf_pairs<> { ... };                     // pairs that neither of the others takes
//     struct inner : copse::takes_inner_pairs { ... };
//     copse::push_child_pairs<copse::pairs::both, short_lists, lists, others, inner>(w, trees, pair);
//
// The roots go into their queue by seed_roots() (node_pairs.hpp), which also gives the queues their capacity.
#pragma once

#include <algorithm>
#include <copse/formats/node_census.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/push_one_of.hpp>
#include <cstdint>

namespace copse {

inline constexpr std::int64_t any_size = child_reference::most_wide_entries;

/// Base of a task that takes leaves of d x d of one kind with more than Above and at most UpTo entries (powers of two,
/// or 0). Wide leaves are above level 0: takes_inner_nodes.
template <node_kind Kind, std::int64_t Above = 0, std::int64_t UpTo = any_size>
struct takes_leaves {
    static_assert(Kind != node_kind::wide,
                  "copse: takes_leaves: a wide leaf is at level 1; say takes_inner_nodes<node_kind::wide>");
    COPSE_HOST_DEVICE static bool takes(child_reference r) {
        return r.level() == 0 && r.kind() == Kind && r.entries() > Above && r.entries() <= UpTo;
    }
    static std::int64_t visits(node_census const& census) { return census.leaves(Kind, Above, UpTo); }
};

/// Base of a task that takes nodes of one kind above level 0, with more than Above and at most UpTo children (powers of
/// two, or 0). These are inner nodes if Kind is sparse or dense. If it is wide they are wide leaves, by their entries.
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

/// Which places of two trees a walk goes to: where both have something, or where at least one has.
enum class pairs { both, either };

/// Two nodes that cover the same rows and columns, as an item of a queue; a node is false where its tree has nothing.
struct node_pair {
    node a;
    node b;
};

/// What the pairs of a walk are counted by: the censuses of both trees. Bounds of several walks in one run add up.
struct pair_bounds {
    node_census a;
    node_census b;
    bool either = false;      // whether a walk goes to nodes that one tree has alone
    std::int64_t blocks = 0;  // of wide leaves, alone in their places

    /// d: the dimension of the nodes.
    static pair_bounds of(pairs which, node_census const& a, node_census const& b, std::int64_t d) {
        if (which == pairs::both) return {a, b, false, 0};
        auto const alone = [&](node_census const& wide, node_census const& inner) {
            std::int64_t const beside = inner.between(node_kind::sparse, 1, 1) + inner.between(node_kind::dense, 1, 1);
            return std::min(wide.wide_entries(), d * d * beside);
        };
        return {a, b, true, alone(a, b) + alone(b, a)};
    }
    /// All pairs. Each has a node of its own in one of the trees; but blocks of wide leaves alone.
    std::int64_t all() const { return a.nodes() + b.nodes() + blocks; }
};

namespace detail {

/// No kinds: any.
template <node_kind... Kinds>
inline constexpr bool has_wide_kind = sizeof...(Kinds) == 0 || ((Kinds == node_kind::wide) || ...);

template <node_kind... Kinds>
COPSE_HOST_DEVICE bool is_of_kinds(child_reference r) {
    return !r || sizeof...(Kinds) == 0 || ((r.kind() == Kinds) || ...);
}
COPSE_HOST_DEVICE inline bool is_inner(child_reference r) {
    return r && !r.is_leaf();
}

/// The leaves of a tree, wide ones included, with at most `up_to` entries.
template <node_kind... Kinds>
std::int64_t leaves_of_kinds(node_census const& c, std::int64_t up_to) {
    std::int64_t const most = std::clamp<std::int64_t>(up_to, 1, any_size);
    if constexpr (sizeof...(Kinds) > 0) {
        return (c.between(Kinds, 0, Kinds == node_kind::wide ? 1 : 0, 0, most) + ...);
    } else {
        std::int64_t sum = 0;
        for (int kind = 0; kind < node_kind_count; ++kind)
            sum += c.between(static_cast<node_kind>(kind), 0, 0, 0, most);
        return sum + c.between(node_kind::wide, 1, 1, 0, most);
    }
}
template <node_kind... Kinds>
std::int64_t inner_nodes_of_kinds(node_census const& c) {
    if constexpr (sizeof...(Kinds) > 0)
        return ((Kinds == node_kind::wide ? 0 : c.inner_nodes(Kinds)) + ... + 0);
    else
        return c.inner_nodes();
}

/// How many pairs of such nodes a walk meets at most; of_a, of_b: how many such nodes the trees have. If no node is a
/// block of a wide leaf, or beside one, a pair of a walk with pairs::both is one node of each tree.
template <node_kind... Kinds>
std::int64_t bound_of_pairs(pair_bounds const& bounds, std::int64_t of_a, std::int64_t of_b) {
    return has_wide_kind<Kinds...> || bounds.either ? of_a + of_b : std::min(of_a, of_b);
}

}  // namespace detail

/// Base of a task that takes pairs of leaves, or a leaf without a partner, with more than Above and at most UpTo
/// entries together. Kinds: what each leaf of the pair may be; without Kinds, any. A block of a wide leaf counts as the
/// whole leaf. Other rules are a takes() of the task's own.
template <std::int64_t Above = 0, std::int64_t UpTo = 2 * any_size, node_kind... Kinds>
struct takes_leaf_pairs {
    COPSE_HOST_DEVICE static bool takes(child_reference a, child_reference b) {
        std::int64_t const entries = (a ? a.entries() : 0) + (b ? b.entries() : 0);
        return !detail::is_inner(a) && !detail::is_inner(b) && detail::is_of_kinds<Kinds...>(a) &&
               detail::is_of_kinds<Kinds...>(b) && entries > Above && entries <= UpTo;
    }
    COPSE_HOST_DEVICE static bool takes(node_pair const& p) { return takes(p.a.reference, p.b.reference); }
    static std::int64_t visits(pair_bounds const& bounds) {
        std::int64_t const alone = detail::has_wide_kind<Kinds...> ? bounds.blocks : 0;
        return alone + detail::bound_of_pairs<Kinds...>(bounds, detail::leaves_of_kinds<Kinds...>(bounds.a, UpTo),
                                                        detail::leaves_of_kinds<Kinds...>(bounds.b, UpTo));
    }
};

/// The same where one of the leaves at least is of Kind, and the other of Kind or of Others: the queue has room for no
/// more pairs than there are leaves of Kind, which is not a wide one.
template <node_kind Kind, std::int64_t Above = 0, std::int64_t UpTo = 2 * any_size, node_kind... Others>
struct takes_leaf_pairs_with : takes_leaf_pairs<Above, UpTo, Kind, Others...> {
    static_assert(Kind != node_kind::wide);
    using among = takes_leaf_pairs<Above, UpTo, Kind, Others...>;
    COPSE_HOST_DEVICE static bool takes(child_reference a, child_reference b) {
        return among::takes(a, b) && ((a && a.kind() == Kind) || (b && b.kind() == Kind));
    }
    COPSE_HOST_DEVICE static bool takes(node_pair const& p) { return takes(p.a.reference, p.b.reference); }
    static std::int64_t visits(pair_bounds const& bounds) {
        return std::min(among::visits(bounds),
                        detail::leaves_of_kinds<Kind>(bounds.a, UpTo) + detail::leaves_of_kinds<Kind>(bounds.b, UpTo));
    }
};

/// Base of a task that takes pairs of which one is an inner node. Kinds: what each node of the pair may be. The queues
/// of sums are <sparse>, then <sparse, dense>, and then <>, an inner node beside a wide leaf.
template <node_kind... Kinds>
struct takes_inner_pairs_of {
    COPSE_HOST_DEVICE static bool takes(child_reference a, child_reference b) {
        return (detail::is_inner(a) || detail::is_inner(b)) && detail::is_of_kinds<Kinds...>(a) &&
               detail::is_of_kinds<Kinds...>(b);
    }
    COPSE_HOST_DEVICE static bool takes(node_pair const& p) { return takes(p.a.reference, p.b.reference); }
    static std::int64_t visits(pair_bounds const& bounds) {
        return detail::bound_of_pairs<Kinds...>(bounds, detail::inner_nodes_of_kinds<Kinds...>(bounds.a),
                                                detail::inner_nodes_of_kinds<Kinds...>(bounds.b));
    }
};
using takes_inner_pairs = takes_inner_pairs_of<>;

namespace detail {

/// Pair: a node_pair, or with references for nodes.
template <class Task, class Pair>
COPSE_HOST_DEVICE bool takes_pair(Pair const& p) {
    if constexpr (requires { Task::takes(p); })
        return Task::takes(p);
    else if constexpr (requires { Task::takes(p.a, p.b); })
        return Task::takes(p.a, p.b);
    else
        return true;
}
/// The number of the first of Tasks that takes a pair.
template <class... Tasks, class Pair>
COPSE_HOST_DEVICE COPSE_INLINE int queue_of_pair(Pair const& p) {
    int which = 0;
    (void)((takes_pair<Tasks>(p) || (++which, false)) || ...);
    return which;
}

}  // namespace detail

/// Pushes a pair into the queue of the first of Tasks that takes it; a task that does not say what it takes takes all.
template <class... Tasks, class Worker>
COPSE_HOST_DEVICE void push_pair(Worker& w, node_pair const& pair) {
    push_one_of<Tasks...>(w, detail::queue_of_pair<Tasks...>(pair), pair);
}

}  // namespace copse
