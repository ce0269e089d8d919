// Addition as per-node functions (hisparse §6). One source for every executor.
//
//   pairs   two nodes at the same place: two leaves, or two nodes above the leaves, whose blocks are paired in turn
//           (two wide leaves: add_wide_tasks.hpp)
//   blocks  two operands of which one at least is of a wide leaf, where the sum is none
//   copies  a node that only one operand has, where C cannot use it as it is (copy_tasks.hpp)
//
// An item carries the place in the parent where the new node's reference goes.
//
// Pairs have a queue for each combination of kinds and sizes that a body of its own serves (pair_queues): a body for
// lists reads nothing else, one for streaks reads a list as a leaf without streaks, one for dense leaves whatever is
// beside them. Of two inner nodes dense ones give a dense sum, in which children meet where they stand; sparse ones
// need a table of both. No queue takes leaves in batches: what is on chip are sets of bits for the d x d positions
// (add_leaves.hpp), which fit at any number of entries.
#pragma once

#include <algorithm>
#include <copse/algebra/sums/add_by_intervals.hpp>
#include <copse/algebra/sums/add_leaves.hpp>
#include <copse/algebra/sums/add_leaves_cpu.hpp>
#include <copse/algebra/sums/add_wide_tasks.hpp>
#include <copse/algebra/sums/copy_tasks.hpp>
#include <copse/algebra/sums/sum_counts.hpp>
#include <copse/algebra/sums/sum_twins.hpp>
#include <copse/formats/node_bins.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/push_one_of.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstdint>
#include <type_traits>

namespace copse::detail {

template <class T, leaf_kinds Kinds>
struct add_small_leaves;
template <class T, leaf_kinds Kinds>
struct add_large_leaves;
template <class T, leaf_kinds Kinds>
struct add_large_leaves_by_halves;
template <class T>
struct add_leaves_by_intervals;
template <class T>
struct add_sparse_inner_nodes;
template <class T>
struct add_dense_inner_nodes;
template <class T>
struct add_blocks_beside_wide;
template <class T>
struct add_parts;

/// The tasks of a run: Large have the pairs of large leaves with and without streaks.
template <template <class, leaf_kinds> class Large>
struct add_with {
    /// The tasks whose items are pairs of nodes. A pair goes to the first that takes it, so those with most come first.
    template <class T, template <class...> class List>
    using pairs =
        List<add_small_leaves<T, leaf_kinds::sparse>, add_small_leaves<T, leaf_kinds::diagonal>,
             Large<T, leaf_kinds::sparse>, Large<T, leaf_kinds::diagonal>, add_large_leaves<T, leaf_kinds::dense>,
             add_sparse_inner_nodes<T>, add_dense_inner_nodes<T>, add_blocks_beside_wide<T>, add_wide_leaves<T>>;
    /// In the order in which a CPU looks into their queues; it seldom has ranges of wide leaves.
    template <class T, template <class...> class List>
    using tasks =
        List<add_sparse_inner_nodes<T>, add_dense_inner_nodes<T>, add_blocks_beside_wide<T>, add_wide_leaves<T>,
             copy_inner_node<T>, add_parts<T>, add_large_leaves<T, leaf_kinds::dense>, Large<T, leaf_kinds::diagonal>,
             Large<T, leaf_kinds::sparse>, add_small_leaves<T, leaf_kinds::diagonal>,
             add_small_leaves<T, leaf_kinds::sparse>, copy_leaf<T>, mark_wide_blocks<T>, tabulate_wide_blocks<T>,
             count_wide_blocks<T>, write_wide_blocks<T>, count_nodes>;
};
using add_by_blocks = add_with<add_large_leaves>;
using add_by_halves = add_with<add_large_leaves_by_halves>;
/// Two lists are add_by_blocks'.
template <class T, leaf_kinds Kinds>
using by_intervals =
    std::conditional_t<Kinds == leaf_kinds::diagonal, add_leaves_by_intervals<T>, add_large_leaves<T, Kinds>>;
using add_by_intervals = add_with<by_intervals>;

/// The queues of pairs, by kind and size (formats/node_bins.hpp).
template <class... Tasks>
struct pair_queues {
    template <class Worker>
    COPSE_HOST_DEVICE static void push(Worker& w, sum_pair const& pair) {
        push_one_of<Tasks...>(w, queue_of_pair<Tasks...>(pair), pair);
    }
    static tree_seeds<Tasks...> seed(sum_pair const& roots, node_census const& a, node_census const& b) {
        tree_seeds<Tasks...> seeds{seeds_with<Tasks...>(roots, [&]<class Task>() { return takes_pair<Task>(roots); }),
                                   {}};
        seeds.bounds.pairs = {a, b};
        return seeds;
    }
};
/// Leaves of d x d for which a function for Kinds is needed.
template <leaf_kinds Kinds, std::int64_t Above, std::int64_t UpTo>
using takes_pairs_for = std::conditional_t<
    Kinds == leaf_kinds::sparse, takes_leaf_pairs_with<node_kind::sparse, Above, UpTo>,
    std::conditional_t<Kinds == leaf_kinds::diagonal,
                       takes_leaf_pairs_with<node_kind::diagonal, Above, UpTo, node_kind::sparse>,
                       takes_leaf_pairs_with<node_kind::dense, Above, UpTo, node_kind::sparse, node_kind::diagonal>>>;

COPSE_HOST_DEVICE inline leaf_operand whole_leaf(child_reference reference) {
    return {reference, 0, reference.entries()};
}

/// Two leaves with at most small_leaf entries together, none of them dense.
template <class T, leaf_kinds Kinds>
struct add_small_leaves : takes_pairs_for<Kinds, 0, small_leaf> {
    using item = sum_pair;
    static constexpr int width = 32;
    static constexpr char const* name =
        Kinds == leaf_kinds::sparse ? "two small lists" : "two small leaves with streaks";
    static constexpr std::size_t scratch_bytes = sizeof(small_union::storage);
    static constexpr int resident_blocks = Kinds == leaf_kinds::sparse ? 8 : 7;

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& pair, Worker& w) const {
        auto& memory = *reinterpret_cast<small_union::storage*>(w.template scratch<std::byte>(scratch_bytes).data());
        unite_small<T, Kinds>(w, sum, whole_leaf(pair.a), whole_leaf(pair.b), memory, pair.result);
    }
};

template <class T, leaf_kinds Kinds>
struct add_large_leaves
    : takes_pairs_for<Kinds, Kinds == leaf_kinds::dense ? 0 : small_leaf, 2 * child_reference::most_entries> {
    using item = sum_pair;
    static constexpr int width = 128;
    static constexpr char const* name = Kinds == leaf_kinds::sparse     ? "two lists"
                                        : Kinds == leaf_kinds::diagonal ? "two leaves with streaks"
                                                                        : "two leaves, one or both dense";
    static constexpr std::size_t scratch_bytes = large_union::bytes(256);
    static constexpr int resident_blocks = Kinds == leaf_kinds::dense ? 5 : 6;

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& pair, Worker& w) const {
        unite_large<T, Kinds>(w, sum, whole_leaf(pair.a), whole_leaf(pair.b),
                              w.template scratch<std::byte>(scratch_bytes).data(), pair.result);
    }
};

/// The same, two pairs in a block of threads, streaks by words: a choice (add_by_halves), not yet timed.
template <class T, leaf_kinds Kinds>
struct add_large_leaves_by_halves : takes_pairs_for<Kinds, small_leaf, 2 * child_reference::most_entries> {
    using item = sum_pair;
    static constexpr int width = 64;
    static constexpr char const* name =
        Kinds == leaf_kinds::sparse ? "two lists, by half a block" : "two leaves with streaks, by half a block";
    static constexpr std::size_t scratch_bytes = large_union::bytes(256);
    static constexpr int resident_blocks = 5;  // as many as have room for 41 KB each

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& pair, Worker& w) const {
        unite_large<T, Kinds, streak_bits_by::words>(w, sum, whole_leaf(pair.a), whole_leaf(pair.b),
                                                     w.template scratch<std::byte>(scratch_bytes).data(), pair.result);
    }
};

/// With streaks, by intervals where these are few: a choice (add_by_intervals), not yet timed. 64 lanes: other pairs
/// are united by sets of bits, of 20 KB, and a multiprocessor has room for 10 of these in blocks that have two pairs,
/// with 20 warps, but for 8 in blocks that have a pair for each warp, with 8 warps.
template <class T>
struct add_leaves_by_intervals : takes_pairs_for<leaf_kinds::diagonal, small_leaf, 2 * child_reference::most_entries> {
    using item = sum_pair;
    static constexpr int width = 64;
    static constexpr char const* name = "two leaves with streaks, by intervals";
    static constexpr std::size_t scratch_bytes = large_union::bytes(256);
    static constexpr int resident_blocks = 5;

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& pair, Worker& w) const {
        unite_by_intervals(w, sum, whole_leaf(pair.a), whole_leaf(pair.b),
                           w.template scratch<std::byte>(scratch_bytes).data(), pair.result);
    }
};

/// Blocks of tables where wide leaves have entries, to be leaves of the result. By tasks of their own: one worker would
/// make them one after the other.
template <class T>
struct add_parts {
    using item = std::int64_t;  // wide_range_item: a table, and the number of a block
    static constexpr int width = 128;
    static constexpr char const* name = "blocks of wide leaves";
    static constexpr std::size_t scratch_bytes = std::max(large_union::bytes(256), sizeof(small_union::storage));
    static constexpr int resident_blocks = 5;  // 92 registers

    addition<T> sum;

    /// Lets the blocks of a table become leaves of `inner`. Collective.
    template <lanes_worker Worker>
    COPSE_HOST_DEVICE static void begin(Worker& w, addition<T> const& sum, block_table const& table,
                                        child_reference inner) {
        if (w.rank() == 0) table.head->node = inner;
        w.sync();
        if (w.rank() == 0)
            w.template push_range<add_parts<T>>(wide_range_item::first_of(sum.temporary, table.head), table.count);
    }
    /// At once: the table lies in memory that the thread has for one pair.
    template <core_worker Worker>
    static void begin(Worker& w, addition<T> const& sum, block_table const& table, child_reference inner) {
        table.head->node = inner;
        alignas(16) std::byte memory[scratch_bytes];
        for (int i = 0; i < table.count; ++i) unite(w, sum, table.head, i, memory);
    }

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item which, Worker& w) const {
        unite(w, sum, wide_range_item::description<block_table::header>(sum.temporary, which),
              wide_range_item::number(which), w.template scratch<std::byte>(scratch_bytes).data());
        w.sync();  // the memory is the next item's
    }

  private:
    /// Block `index` of a table, where one operand at least is of a wide leaf. Collective.
    template <class Worker>
    COPSE_HOST_DEVICE static void unite(Worker& w, addition<T> const& sum, block_table::header* head, int index,
                                        std::byte* memory) {
        leaf_operand const a = head->operand(0, index), b = head->operand(1, index);
        if (!a.reference.is_block_of_wide() && !b.reference.is_block_of_wide()) return;
        child_reference* const slot =
            &sum.writer_of(head->node).reference(index, a.count > 0 ? a.position : b.position);
        if (a.count + b.count <= small_leaf)
            unite_small<T, leaf_kinds::wide>(w, sum, a, b, *reinterpret_cast<small_union::storage*>(memory), slot);
        else
            unite_large<T, leaf_kinds::wide>(w, sum, a, b, memory, slot);
    }
};

/// What stands at one place of two nodes above the leaves, of which one at least has something there. Returns whether C
/// shares it.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE bool unite_children(Worker& w, addition<T> const& sum, child_reference a,
                                                   child_reference b, child_reference* result) {
    if (!a || !b) return take_over<T>(w, sum, a ? a : b, static_cast<bool>(a), result);
    if constexpr (Worker::template runs_with<add_large_leaves_by_halves<T, leaf_kinds::sparse>>)
        add_by_halves::pairs<T, pair_queues>::push(w, {a, b, result});
    else if constexpr (Worker::template runs_with<add_leaves_by_intervals<T>>)
        add_by_intervals::pairs<T, pair_queues>::push(w, {a, b, result});
    else
        add_by_blocks::pairs<T, pair_queues>::push(w, {a, b, result});
    return false;
}

/// Two nodes above the leaves become an inner node. `memory`: position_set::bytes(d). Collective.
template <class T, upper_kinds Kinds, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void unite_blocks(Worker& w, addition<T> const& sum, sum_pair const& pair,
                                                       std::byte* memory) {
    block_table const table = tabulate<T, Kinds>(w, sum, pair, memory);
    if (unite_merged(w, sum, pair, table)) return;
    child_reference const inner = begin_inner_node(w, sum, table.blocks, table.count, pair.a.level());
    if (w.rank() == 0) *pair.result = inner;
    if constexpr (Kinds != upper_kinds::inner) add_parts<T>::begin(w, sum, table, inner);
    int twins = 0;
    bool shares = false;
    std::int64_t least = 0;
    table.blocks.for_each(w, [&](int index, int position) {
        leaf_operand const a = table.a(index), b = table.b(index);
        least += a.count > b.count ? a.count : b.count;
        if (Kinds != upper_kinds::inner && (a.reference.is_block_of_wide() || b.reference.is_block_of_wide())) return;
        child_reference* const slot = &sum.writer_of(inner).reference(index, position);
        if (child_reference const mark = twin_of_block(table, inner, index, position, sum.order().dimension_log2)) {
            *slot = mark;
            ++twins;
        } else {
            shares |= unite_children<T>(w, sum, a.reference, b.reference, slot);
        }
    });
    count_twins(w, sum, twins);
    count_inner(w, sum, inner, shares, least);
    w.sync();
}

template <class T>
struct add_sparse_inner_nodes : takes_inner_pairs_of<node_kind::sparse> {
    using item = sum_pair;
    static constexpr int width = 128;
    static constexpr char const* name = "two sparse inner nodes";
    static constexpr std::size_t scratch_bytes = position_set::bytes(256);
    static constexpr int resident_blocks = 6;  // 7 would spill 20 bytes

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& pair, Worker& w) const {
        unite_blocks<T, upper_kinds::inner>(w, sum, pair, w.template scratch<std::byte>(scratch_bytes).data());
    }
};

/// Two inner nodes of which one is dense, and so is their sum (smallest_inner): each child goes where it stands, and is
/// met there by what the other operand has. Children at (i, j) and (j, i) are one lane's: they may be twins.
template <class T>
struct add_dense_inner_nodes : takes_inner_pairs_of<node_kind::sparse, node_kind::dense> {
    using item = sum_pair;
    static constexpr int width = 128;
    static constexpr char const* name = "two inner nodes, one or both dense";
    static constexpr int resident_blocks = 6;  // 7 would spill 16 bytes

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& pair, Worker& w) const {
        int const d = sum.a.tree.dimension(), log2 = sum.a.tree.dimension_log2();
        bool const by_a = pair.a.kind() == node_kind::dense;
        node_reader const &dense = by_a ? sum.a.tree : sum.b.tree, &other = by_a ? sum.b.tree : sum.a.tree;
        node const slots{by_a ? pair.a : pair.b, 0, 0};
        std::uint64_t const offset = sum.nodes.reserve(w, dense_inner_bytes(d));
        auto* const results = reinterpret_cast<child_reference*>(sum.nodes.memory + offset);
        for (int i = w.rank(); i < d * d; i += w.size()) results[i] = child_reference();
        w.sync();
        visit_blocks<T, upper_kinds::inner>(
            w, other, by_a ? pair.b : pair.a,
            [&](int position, block_border const& child) { results[position] = child.reference; });
        w.sync();
        int children = 0, twins = 0;
        bool shares = false;
        std::int64_t least = 0;
        for (int place = w.rank(); place < d * d; place += w.size()) {
            int const image = image_of_place(place, log2);
            if (image < place) continue;
            auto const stored = [&](int at) { return dense.child_at(slots, at >> log2, at & (d - 1)).reference; };
            child_reference const child = stored(place), child_image = stored(image);
            child_reference const met = results[place], met_image = results[image];
            twin_candidates const both{by_a ? child : met, by_a ? met : child, by_a ? child_image : met_image,
                                       by_a ? met_image : child_image};
            COPSE_NO_UNROLL
            for (int side = 0; side < (image == place ? 1 : 2); ++side) {
                child_reference const a = side == 0 ? both.a : both.a_image, b = side == 0 ? both.b : both.b_image;
                if (!a && !b) continue;
                ++children;
                int const of_a = a ? a.entries() : 0, of_b = b ? b.entries() : 0;
                least += of_a > of_b ? of_a : of_b;
                if (side == 1 && both.are_twins()) {
                    results[image] = twin_mark(place, both.state());
                    ++twins;
                } else {
                    shares |= unite_children<T>(w, sum, a, b, results + (side == 0 ? place : image));
                }
            }
        }
        count_twins(w, sum, twins);
        children = w.reduce(children, [](int x, int y) { return x + y; });
        child_reference const inner = sum.reference(offset, children, node_kind::dense, pair.a.level());
        if (w.rank() == 0) *pair.result = inner;
        count_inner(w, sum, inner, shares, least);
        w.sync();
    }
};

/// A wide leaf and an inner node; or two wide leaves with too many entries for one.
template <class T>
struct add_blocks_beside_wide : takes_inner_pairs {
    using item = sum_pair;
    static constexpr int width = 128;
    static constexpr char const* name = "a wide leaf and blocks";
    static constexpr std::size_t scratch_bytes = position_set::bytes(256);
    static constexpr int resident_blocks = 7;

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& pair, Worker& w) const {
        if (unite_few_with_wide(w, sum, pair)) return;
        unite_blocks<T, upper_kinds::any>(w, sum, pair, w.template scratch<std::byte>(scratch_bytes).data());
    }
};

}  // namespace copse::detail
