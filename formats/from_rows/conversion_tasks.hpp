// Tasks of a conversion (hisparse §3.2), on the skeleton of the tree (tree_skeleton.hpp).
//
// Before there is memory for the nodes:
//
//   measure_leaves      small or large ones: the streaks that each has
//
// Then nodes are written from the leaves up:
//
//   fill_leaves         small or large ones: each, or what a wide leaf has of it
//   fill_inner_nodes    pushed by whoever finishes the last of its children, which have left their references in the
//                       skeleton
//   take_census         a stretch of nodes: counted
//
// Tasks of small leaves begin as ranges of all leaves, and hand on the large ones.
#pragma once

#include <copse/formats/from_rows/leaf_entries.hpp>
#include <copse/formats/from_rows/row_stretches.hpp>
#include <copse/formats/from_rows/tree_skeleton.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/formats/tree/census_counters.hpp>
#include <copse/formats/tree/inner_node_writer.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace copse::detail {

/// Leaves: small_leaves or large_leaves.
template <class Leaves>
struct measure_leaves {
    using item = std::int64_t;
    static constexpr int width = Leaves::width;
    static constexpr std::size_t scratch_bytes = Leaves::scratch_bytes;
    static constexpr int resident_blocks = width == 8 ? 8 : 7;
    static constexpr char const* name = width == 8 ? "measure a small leaf" : "measure a leaf";

    leaf_entry_reader from;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item which, Worker& w) const {
        tree_skeleton const& tree = from.tree;
        auto const leaf = static_cast<std::uint32_t>(which);
        std::int64_t const entries = tree.entries_in(leaf);
        bool const has_streaks = entries >= shortest_streak && !tree.in_wide_leaf(leaf);
        if (has_streaks && !Leaves::take(entries)) {
            if (w.rank() == 0) w.template push<measure_leaves<large_leaves>>(which);
            return;
        }
        leaf_shape shape{};
        if (has_streaks) {
            auto united = Leaves::make_union(w.template scratch<std::byte>(scratch_bytes).data(), tree.key.order());
            from.insert(w, leaf, united);
            shape = Leaves::shape(w, united, entries, tree.value_bytes);
        }
        if (w.rank() == 0)
            tree.streaks[leaf] =
                static_cast<std::uint64_t>(shape.streaks) << 32 | static_cast<std::uint32_t>(shape.in_streaks);
    }
};

/// What the tasks that write nodes share.
template <class T>
struct conversion {
    leaf_entry_reader from;
    ordered_values<T> values;
    std::byte* memory;     // the arena
    int arena;             // its number
    std::int64_t* counts;  // census_counters

    COPSE_HOST_DEVICE std::byte* address(std::uint32_t node, node_kind kind) const {
        return memory + from.tree.offset(node, kind);
    }
    /// f(entry, position, value) for the entries of a leaf, which the lanes share.
    template <class Worker, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void for_each_entry(Worker& w, std::uint32_t leaf, F f) const {
        from.template for_each_vector<16 / sizeof(T)>(w, leaf, [&]<int M>(row_stretch const& piece, std::int64_t k) {
            auto const own = values.template of<M>(w, k);
            from.template locate<M>(w, piece, k, [&](int j, int entry, int position) {
                f(entry, position, own[static_cast<std::size_t>(j)]);
            });
        });
    }
};

template <class T>
struct fill_inner_nodes;

/// A node is there, or the part of a wide leaf that stands for one. By one lane: whoever brings the last child of a
/// node lets it be written. reference: to the node, which begins the arena as far as it says.
template <class T, class Worker>
COPSE_HOST_DEVICE void finish_node(Worker& w, conversion<T> const& work, std::uint32_t node,
                                   child_reference reference) {
    tree_skeleton const& tree = work.from.tree;
    tree.references[node] = reference.moved(tree.offset(node, reference.kind()));
    if (node == tree.root()) return;
    // The count is acquired and released: the reference is seen by the lanes that write the parent.
    std::uint32_t const parent = tree.parents[node];
    if (w.count_down(&tree.pending[parent])) w.template push<fill_inner_nodes<T>>({parent, reference.level() + 1});
}

template <class T, class Leaves>
struct fill_leaves {
    using item = std::int64_t;
    static constexpr int width = Leaves::width;
    static constexpr std::size_t scratch_bytes = Leaves::scratch_bytes;
    // 64 and 96 registers; with 80, for 6 blocks, the resident kernel spills 4 bytes.
    static constexpr int resident_blocks = width == 8 ? 8 : 5;
    static constexpr char const* name = width == 8 ? "fill a small leaf" : "fill a leaf";

    conversion<T> work;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item which, Worker& w) const {
        tree_skeleton const& tree = work.from.tree;
        auto const leaf = static_cast<std::uint32_t>(which);
        std::int64_t const entries = tree.entries_in(leaf);
        if (!Leaves::take(entries)) {
            if (w.rank() == 0) w.template push<fill_leaves<T, large_leaves>>(which);
            return;
        }
        auto united = Leaves::make_union(w.template scratch<std::byte>(scratch_bytes).data(), tree.key.order());
        work.from.insert(w, leaf, united);
        leaf_shape const shape = Leaves::shape(w, united, entries, tree.value_bytes);
        if (tree.in_wide_leaf(leaf))
            fill_part(w, leaf, united);
        else
            fill_whole(w, leaf, united, shape);
    }

  private:
    template <class Worker, class Union>
    COPSE_HOST_DEVICE COPSE_INLINE void fill_whole(Worker& w, std::uint32_t leaf, Union const& united,
                                                   leaf_shape const& shape) const {
        leaf_writer<T> const writer(work.address(leaf, shape.kind), shape, work.from.tree.key.order());
        writer.prepare(w);
        united.write_streaks(w, writer);
        work.for_each_entry(w, leaf, [&](int entry, int position, T value) {
            united.place(w, writer, Leaves::name_of(entry, position)) = value;
        });
        w.sync();
        if (w.rank() == 0) finish_node(w, work, leaf, leaf_reference(work.arena, 0, shape));
    }
    /// Into the wide leaf that stands for this one among others. Whoever has its first entries prepares it.
    template <class Worker, class Union>
    COPSE_HOST_DEVICE COPSE_INLINE void fill_part(Worker& w, std::uint32_t leaf, Union const& united) const {
        tree_skeleton const& tree = work.from.tree;
        tree_key const& key = tree.key;
        std::uint32_t const block = tree.parents[leaf];
        std::int64_t const all = tree.block_entries(block);
        std::byte* const memory = work.address(block, wide_leaf::kind);
        wide_leaf_writer<T> const writer(memory, all);
        if (w.rank() == 0 && leaf == tree.first[block]) wide_leaf_writer<T>::prepare(memory, all);
        int const row = key.row_in_parent(tree.numbers[leaf], 0) << key.dimension_log2();
        int const column = key.column_in_parent(tree.numbers[leaf], 0) << key.dimension_log2();
        std::int64_t const before = tree.first_entry(leaf) - tree.first_entry(tree.first[block]);
        work.for_each_entry(w, leaf, [&](int entry, int position, T value) {
            writer.put(before + united.index_of(Leaves::name_of(entry, position)), row | key.order().row(position),
                       column | key.order().column(position), value);
        });
        w.sync();
        if (w.rank() == 0 && w.count_down(&tree.pending[block]))
            finish_node(w, work, block, leaf_reference(work.arena, 0, wide_leaf::shape(all)));
    }
};

struct skeleton_node {
    std::uint32_t node;
    std::int32_t level;
};

/// Item: a node whose children are all there.
template <class T>
struct fill_inner_nodes {
    using item = skeleton_node;
    static constexpr int width = 32;
    static constexpr char const* name = "fill an inner node";

    conversion<T> work;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& which, Worker& w) const {
        tree_skeleton const& tree = work.from.tree;
        leaf_shape const shape = tree.figures(which.node, which.level).shape;
        inner_node_writer const writer(work.address(which.node, shape.kind), shape.kind, shape.entries,
                                       tree.key.dimension_log2());
        writer.prepare(w);
        std::uint32_t const first = tree.first[which.node];
        COPSE_NO_UNROLL
        for (int i = w.rank(); i < shape.entries; i += w.size()) {
            std::uint32_t const child = first + static_cast<std::uint32_t>(i);
            writer.place(i, tree.key.position_in_parent(tree.numbers[child], which.level - 1)) = tree.references[child];
        }
        if (w.rank() == 0) finish_node(w, work, which.node, {work.arena, 0, shape.entries, shape.kind, which.level});
    }
};

/// Item: a stretch of `nodes` nodes.
template <class T>
struct take_census {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "count a stretch of the skeleton";
    static constexpr std::int64_t nodes = 1024;
    static constexpr std::size_t scratch_bytes = census_on_chip::bytes;

    conversion<T> work;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item stretch, Worker& w) const {
        tree_skeleton const& tree = work.from.tree;
        census_on_chip const census(w.template scratch<std::byte>(scratch_bytes).data());
        census.clear(w);
        std::int64_t const begin = stretch * nodes;
        std::int64_t const end = begin + nodes < tree.node_count() ? begin + nodes : tree.node_count();
        running_census<std::uint32_t> counted;
        for (std::int64_t i = begin + w.rank(); i < end; i += w.size()) {
            auto const node = static_cast<std::uint32_t>(i);
            int const level = tree.level_of(node);
            if (level == 0 && tree.in_wide_leaf(node)) continue;
            leaf_shape const shape = tree.figures(node, level).shape;
            counted.add(w, census.visits(), census.entries(),
                        child_reference(work.arena, 0, shape.entries, shape.kind, level), shape.entries);
        }
        counted.hand_on(w, census.visits(), census.entries());
        census.add_to(w, work.counts);
    }
};

/// In the order that run() gets them: the first that has items is preferred on the CPU.
template <template <class...> class List>
using measuring_tasks = List<measure_leaves<large_leaves>, measure_leaves<small_leaves>>;
template <class T, template <class...> class List>
using filling_tasks =
    List<fill_inner_nodes<T>, fill_leaves<T, large_leaves>, fill_leaves<T, small_leaves>, take_census<T>>;

/// For the device controller.
template <template <class...> class List>
using conversion_runs = std::tuple<measuring_tasks<List>, filling_tasks<float, List>, filling_tasks<double, List>>;

}  // namespace copse::detail
