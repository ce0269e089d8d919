// Two trees of one shape walked together, either of them transposed: pairs of nodes that cover the same rows and
// columns, and pairs of entries in the same place. node_bins.hpp has queues for pairs by kind and size.
//
//   struct multiply_pairs {                                    // sum of a_ij * b_ij
//       using item = copse::node_pair;
//       static constexpr int width = 32;
//       copse::tree_pair<double> trees;                        // {a, b}
//       double* sum;
//       template <class Worker>
//       COPSE_HOST_DEVICE void operator()(item const& p, Worker& w) const {
//           using copse::pairs;
//           if (!trees.is_leaf(p)) return copse::push_child_pairs<pairs::both, multiply_pairs>(w, trees, p);
//           copse::for_each_pair<pairs::both>(
//               w, trees, p, [&](std::int64_t, std::int64_t, double a, double b) { w.add(sum, a * b); });
//       }
//   };
//   copse::run(cpu, copse::seed_roots<copse::pairs::both, multiply_pairs>(a, b), multiply_pairs{{a, b}, &sum});
//
// Where one tree has a wide leaf and the other an inner node, the wide leaf is taken apart (visit_rows.hpp).
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/formats/leaves/leaf_merge.hpp>
#include <copse/formats/leaves/leaf_table.hpp>
#include <copse/formats/node_bins.hpp>
#include <copse/formats/tree/check_alike.hpp>
#include <copse/formats/tree/node_blocks.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstdint>
#include <string>

namespace copse {

/// A value that may be absent.
template <class T>
struct maybe {
    T value{};
    bool present = false;

    COPSE_HOST_DEVICE explicit operator bool() const { return present; }
    COPSE_HOST_DEVICE T operator*() const { return value; }
    COPSE_HOST_DEVICE T value_or(T other) const { return present ? value : other; }
};

/// The trees of op(A) and op(B). Trivially copyable; valid while matrices that share their contents live.
template <class T>
class tree_pair {
  public:
    tree_pair() = default;
    /// Throws shape_error if op(A) and op(B) have different shapes; argument_error if their nodes have different
    /// dimensions, or if one is in device memory and the other is not.
    tree_pair(hisparse<T> const& of_a, hisparse<T> const& of_b) : a(of_a.tree()), b(of_b.tree()) {
        detail::check_alike("tree_pair", "A", of_a, "B", of_b);
        if (of_a.space() != of_b.space())
            throw argument_error(
                "tree_pair: A and B are in different memories; make both with the executor that runs the tasks");
    }

    /// Whether neither node is an inner node.
    COPSE_HOST_DEVICE bool is_leaf(node_pair const& p) const {
        return (!p.a || a.is_leaf(p.a)) && (!p.b || b.is_leaf(p.b));
    }
    COPSE_HOST_DEVICE index_range rows_of(node_pair const& p) const { return p.a ? a.rows_of(p.a) : b.rows_of(p.b); }
    COPSE_HOST_DEVICE index_range columns_of(node_pair const& p) const {
        return p.a ? a.columns_of(p.a) : b.columns_of(p.b);
    }

    tree_view<T> a;
    tree_view<T> b;
};

namespace detail {

/// Where the value of an entry of a leaf is stored; null if there is none. Coordinates count from the node's first row
/// and column.
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE T const* find_entry(node_reader const& tree, node leaf, int row, int column,
                                                   entry_cursor& at) {
    if (!leaf) return nullptr;
    if (leaf.reference.is_wide_leaf()) {
        int const mask = (1 << (2 * tree.dimension_log2())) - 1;
        row += static_cast<int>(leaf.row) & mask;  // of a block
        column += static_cast<int>(leaf.column) & mask;
    }
    return with_leaf<T>(tree, leaf, [&](auto const& view) {
        return find_entry(view, tree.order(), leaf.reference.transposed(), row, column, at);
    });
}

/// Merges two leaves that merge_leaves() can merge, values as they are stored; false, and nothing is called, for
/// others.
template <bool Both, bool OnCore, class T, class F>
COPSE_HOST_DEVICE bool merge_pair(node_reader const& of_a, node a, node_reader const& of_b, node b, F f) {
    if (!a || !b || a.reference.kind() != b.reference.kind() || a.reference.transposed() != b.reference.transposed())
        return false;
    auto const give = [&](int row, int column, T const* in_a, T const* in_b) {
        f(row, column, maybe<T>{in_a ? *in_a : T(0), in_a != nullptr}, maybe<T>{in_b ? *in_b : T(0), in_b != nullptr});
    };
    return with_kind(a.reference.kind(), [&](auto owner) {
        using owner_type = decltype(owner);
        return merge_leaves<Both, OnCore>(of_a.template view_of<owner_type, T>(a), numbers_of<T>(of_a, a),
                                          of_b.template view_of<owner_type, T>(b), numbers_of<T>(of_b, b), of_a.order(),
                                          a.reference.transposed(), give);
    });
}

/// The same for two leaves of d x d, or blocks, that cannot be merged; by one core. False, and nothing is called, where
/// searches in a leaf are better: in a dense one, or for few entries in one that has many.
template <bool Both, class T, class F>
bool pair_by_table(node_reader const& of_a, node a, node_reader const& of_b, node b, F f) {
    if (!a || !b) return false;
    auto const fits = [](node n) {
        return n.reference.level() == 0 && n.reference.kind() != node_kind::dense &&
               n.reference.entries() <= leaf_table<T>::most_entries;
    };
    auto const has_few_of = [](node n, node other) { return n.reference.entries() < other.reference.entries() / 8; };
    if (leaf_table<T>::is_there() || !fits(a) || !fits(b) || (Both && (has_few_of(a, b) || has_few_of(b, a))))
        return false;
    leaf_table<T> in_b(of_b.order());
    visit_on_core<T>(of_b, b, [&](int, std::int64_t row, std::int64_t column, T value) {
        in_b.insert(static_cast<int>(row - b.row), static_cast<int>(column - b.column), value);
    });
    visit_on_core<T>(of_a, a, [&](int, std::int64_t r, std::int64_t c, T value) {
        int const row = static_cast<int>(r - a.row), column = static_cast<int>(c - a.column);
        T const* const met = in_b.take(row, column);
        if (!Both || met) f(row, column, maybe<T>{value, true}, maybe<T>{met ? *met : T(0), met != nullptr});
    });
    if constexpr (!Both)
        in_b.for_each_left([&](int row, int column, T value) {
            f(row, column, maybe<T>{T(0), false}, maybe<T>{value, true});
        });
    return true;
}

/// All pairs of two leaves where one lane can do without searches; false, and nothing is called, where it cannot.
template <bool Both, class T, lanes_worker Worker, class F>
COPSE_HOST_DEVICE bool pair_alone(Worker&, node_reader const& of_a, node a, node_reader const& of_b, node b, F f) {
    if constexpr (Worker::size() == 1)
        return merge_pair<Both, false, T>(of_a, a, of_b, b, f);
    else
        return false;
}
template <bool Both, class T, core_worker Worker, class F>
bool pair_alone(Worker&, node_reader const& of_a, node a, node_reader const& of_b, node b, F f) {
    return merge_pair<Both, true, T>(of_a, a, of_b, b, f) || pair_by_table<Both, T>(of_a, a, of_b, b, f);
}

}  // namespace detail

/// Calls f(pair) for what two nodes above the leaves have below them: pairs of children in the same place and, with
/// pairs::either, children of one tree alone. A wide leaf's block takes the place of a child. The worker's lanes share
/// the pairs; f is not collective.
template <pairs Which, class Worker, class T, class F>
COPSE_HOST_DEVICE void for_each_child_pair(Worker& w, tree_pair<T> const& trees, node_pair const& pair, F f) {
    detail::node_reader const &a = reader_of(trees.a), &b = reader_of(trees.b);
    detail::for_each_child_or_block<T>(w, a, pair.a, [&](node child, int row, int column) {
        node const other = detail::child_or_block<T>(b, pair.b, row, column);
        if (Which == pairs::either || other) f(node_pair{child, other});
    });
    if constexpr (Which == pairs::either)
        detail::for_each_child_or_block<T>(w, b, pair.b, [&](node child, int row, int column) {
            if (!detail::child_or_block<T>(a, pair.a, row, column)) f(node_pair{node{}, child});
        });
}

/// Pushes what two nodes, of which one at least is an inner node, have below them, as for_each_child_pair() finds it.
/// Throws argument_error on the host for two leaves.
template <pairs Which, class... Tasks, class Worker, class T>
COPSE_HOST_DEVICE void push_child_pairs(Worker& w, tree_pair<T> const& trees, node_pair const& pair) {
    if (!detail::expect_node(!trees.is_leaf(pair), "push_child_pairs()", "pair with an inner node",
                             pair.a ? pair.a : pair.b))
        return;
    for_each_child_pair<Which>(w, trees, pair, [&](node_pair const& below) { push_pair<Tasks...>(w, below); });
}

/// With pairs::both: calls f(row, column, a, b) for each place where both leaves have an entry; a and b are the values.
/// With pairs::either: the same for each place where one has an entry; a and b are maybe<T>, and one may be absent.
/// Coordinates are those of op(A); values have their matrices' scales. One of the nodes may be false. The order is that
/// of neither leaf. All lanes of the worker must call this; they share the entries; f is not collective.
/// A worker of one lane merges two leaves of one kind that are stored the same way round and, where they have streaks,
/// have them in the same places. On a cpu others are paired by a table of the places of one of them. Otherwise an entry
/// of one leaf is looked up in the other: in a step or two if both leaves are stored the same way round; if one is
/// transposed, in log2(n) steps for a list of n entries, in up to one for each streak of a leaf with streaks.
/// Throws argument_error on the host if a node is no leaf.
template <pairs Which, class Worker, class T, class F>
COPSE_HOST_DEVICE void for_each_pair(Worker& w, tree_pair<T> const& trees, node_pair const& pair, F f) {
    if (!detail::expect_node(trees.is_leaf(pair), "for_each_pair()", "pair of leaves",
                             pair.a && !pair.a.reference.is_leaf() ? pair.a : pair.b))
        return;
    if (Which == pairs::both && !(pair.a && pair.b)) return;
    node const any = pair.a ? pair.a : pair.b;
    int const mask = (1 << (trees.a.dimension_log2() * (any.reference.level() + 1))) - 1;
    T const scale_a = trees.a.scale_of(pair.a), scale_b = trees.b.scale_of(pair.b);
    auto const give = [&](int row, int column, maybe<T> const& a, maybe<T> const& b) {
        std::int64_t const r = std::int64_t{any.row} + (row & mask), c = std::int64_t{any.column} + (column & mask);
        if constexpr (Which == pairs::both)
            f(r, c, scale_a * a.value, scale_b * b.value);
        else
            f(r, c, maybe<T>{scale_a * a.value, a.present}, maybe<T>{scale_b * b.value, b.present});
    };
    if (detail::pair_alone<Which == pairs::both, T>(w, reader_of(trees.a), pair.a, reader_of(trees.b), pair.b, give))
        return;
    // With pairs::both one leaf's entries suffice, those of the smaller one. With pairs::either both are visited, and
    // those of B which A has, too, are left out.
    bool const b_first = Which == pairs::both && pair.b.reference.entries() < pair.a.reference.entries();
    COPSE_NO_UNROLL
    for (int step = 0; step < (Which == pairs::both ? 1 : 2); ++step) {
        bool const of_b = (step == 1) != b_first;
        node const own = of_b ? pair.b : pair.a, other = of_b ? pair.a : pair.b;
        if (!own) continue;
        detail::node_reader const own_tree = reader_of(of_b ? trees.b : trees.a);
        detail::node_reader const other_tree = reader_of(of_b ? trees.a : trees.b);
        detail::entry_numbers const numbers = detail::numbers_of<T>(own_tree, own);
        detail::entry_cursor at;
        detail::visit_stored_entries<T>(
            w, own_tree, own, numbers.first, numbers.count, [&](int, int row, int column, T value) {
                T const* const found = detail::find_entry<T>(other_tree, other, row & mask, column & mask, at);
                if (Which == pairs::both ? !found : step == 1 && found) return;
                maybe<T> const mine{value, true}, met{found ? *found : T(0), found != nullptr};
                give(row, column, of_b ? met : mine, of_b ? mine : met);
            });
    }
}

/// The pair of roots of op(A) and op(B), for the first of Tasks that takes it; no seed if A and B have no entries and,
/// with pairs::both, if one of them has none. Brings the capacity of all queues of pairs of nodes, for tasks that push
/// each pair once. Throws shape_error and argument_error as tree_pair does.
template <pairs Which, class... Tasks, class T>
tree_seeds<Tasks...> seed_roots(hisparse<T> const& a, hisparse<T> const& b) {
    tree_pair<T>(a, b);  // throws
    node_pair const roots{a.root(), b.root()};
    bool const any = Which == pairs::both ? roots.a && roots.b : roots.a || roots.b;
    tree_seeds<Tasks...> seeds{
        detail::seeds_with<Tasks...>(roots, [&]<class Task>() { return any && detail::takes_pair<Task>(roots); }), {}};
    if (any) seeds.bounds.pairs = pair_bounds::of(Which, a.census(), b.census(), a.node_dimension());
    return seeds;
}

}  // namespace copse
