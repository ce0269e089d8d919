// Tasks of a conversion (hisparse §3.2), on the skeleton of the tree (tree_skeleton.hpp).
//
// Before there is memory for the nodes:
//
//   measure_leaves      small or large ones: the runs that each has
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
#include <copse/formats/from_rows/row_pieces.hpp>
#include <copse/formats/from_rows/tree_skeleton.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
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
        bool const has_runs = entries >= shortest_run && !tree.in_wide_leaf(leaf);
        if (has_runs && !Leaves::take(entries)) {
            if (w.rank() == 0) w.template push<measure_leaves<large_leaves>>(which);
            return;
        }
        leaf_shape shape{};
        if (has_runs) {
            auto united = Leaves::make_union(w.template scratch<std::byte>(scratch_bytes).data(), tree.key.order());
            from.insert(w, leaf, united);
            shape = Leaves::shape(w, united, entries, tree.value_bytes);
        }
        if (w.rank() == 0)
            tree.runs[leaf] = static_cast<std::uint64_t>(shape.runs) << 32 | static_cast<std::uint32_t>(shape.in_runs);
    }
};

/// What the tasks that write nodes share.
template <class T>
struct conversion {
    leaf_entry_reader from;
    ordered_values<T> values;
    std::byte* memory;  // the arena
    int arena;          // its number
    std::int64_t* counts;

    COPSE_HOST_DEVICE std::byte* address(std::uint32_t node, node_kind kind) const {
        return memory + from.tree.offset(node, kind);
    }
    /// f(entry, position, value) for the entries of a leaf, which the lanes share.
    template <class Worker, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void for_each_entry(Worker& w, std::uint32_t leaf, F f) const {
        from.template for_each_vector<16 / sizeof(T)>(w, leaf, [&]<int M>(row_piece const& piece, std::int64_t k) {
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
COPSE_HOST_DEVICE void finish_node(Worker& w, conversion<T> const& run, std::uint32_t node, child_reference reference) {
    tree_skeleton const& tree = run.from.tree;
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

    conversion<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item which, Worker& w) const {
        tree_skeleton const& tree = run.from.tree;
        auto const leaf = static_cast<std::uint32_t>(which);
        std::int64_t const entries = tree.entries_in(leaf);
        if (!Leaves::take(entries)) {
            if (w.rank() == 0) w.template push<fill_leaves<T, large_leaves>>(which);
            return;
        }
        auto united = Leaves::make_union(w.template scratch<std::byte>(scratch_bytes).data(), tree.key.order());
        run.from.insert(w, leaf, united);
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
        leaf_writer<T> const writer(run.address(leaf, shape.kind), shape, run.from.tree.key.order());
        writer.prepare(w);
        united.write_runs(w, writer);
        run.for_each_entry(w, leaf, [&](int entry, int position, T value) {
            united.place(w, writer, Leaves::name_of(entry, position)) = value;
        });
        w.sync();
        if (w.rank() == 0) finish_node(w, run, leaf, leaf_reference(run.arena, 0, shape));
    }
    /// Into the wide leaf that stands for this one among others. Whoever has its first entries prepares it.
    template <class Worker, class Union>
    COPSE_HOST_DEVICE COPSE_INLINE void fill_part(Worker& w, std::uint32_t leaf, Union const& united) const {
        tree_skeleton const& tree = run.from.tree;
        tree_key const& key = tree.key;
        std::uint32_t const block = tree.parents[leaf];
        std::int64_t const all = tree.block_entries(block);
        std::byte* const memory = run.address(block, wide_leaf::kind);
        wide_leaf_writer<T> const writer(memory, all);
        if (w.rank() == 0 && leaf == tree.first[block]) wide_leaf_writer<T>::prepare(memory, all);
        int const row = key.row_in_parent(tree.numbers[leaf], 0) << key.dimension_log2();
        int const column = key.column_in_parent(tree.numbers[leaf], 0) << key.dimension_log2();
        std::int64_t const before = tree.first_entry(leaf) - tree.first_entry(tree.first[block]);
        run.for_each_entry(w, leaf, [&](int entry, int position, T value) {
            writer.put(before + united.index_of(Leaves::name_of(entry, position)), row | key.order().row(position),
                       column | key.order().column(position), value);
        });
        w.sync();
        if (w.rank() == 0 && w.count_down(&tree.pending[block]))
            finish_node(w, run, block, leaf_reference(run.arena, 0, wide_leaf::shape(all)));
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

    conversion<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& which, Worker& w) const {
        tree_skeleton const& tree = run.from.tree;
        node_figures const figures = tree.figures(which.node, which.level);
        std::byte* const memory = run.address(which.node, figures.shape.kind);
        if (figures.shape.kind == node_kind::dense)
            fill_dense(w, which, memory);
        else
            fill_sparse(w, which, memory, figures);
        if (w.rank() == 0)
            finish_node(w, run, which.node, {run.arena, 0, figures.shape.entries, figures.shape.kind, which.level});
    }

  private:
    template <class Worker>
    COPSE_HOST_DEVICE void fill_sparse(Worker& w, item const& which, std::byte* memory,
                                       node_figures const& figures) const {
        tree_skeleton const& tree = run.from.tree;
        std::uint32_t const first = tree.first[which.node];
        std::int64_t const n = figures.shape.entries, p = padded_entries(n);
        auto* const references = reinterpret_cast<child_reference*>(memory);
        auto* const rows = reinterpret_cast<std::uint8_t*>(references + p);
        for (std::int64_t i = w.rank(); i < p; i += w.size()) {
            bool const child = i < n;
            std::uint64_t const number = child ? tree.numbers[first + i] : 0;
            references[i] = child ? tree.references[first + i] : child_reference();
            rows[i] = static_cast<std::uint8_t>(child ? tree.key.row_in_parent(number, which.level - 1) : 0);
            rows[p + i] = static_cast<std::uint8_t>(child ? tree.key.column_in_parent(number, which.level - 1) : 0);
        }
        for (std::int64_t i = 10 * p + w.rank(); i < figures.bytes; i += w.size()) memory[i] = std::byte{0};
    }
    template <class Worker>
    COPSE_HOST_DEVICE void fill_dense(Worker& w, item const& which, std::byte* memory) const {
        tree_skeleton const& tree = run.from.tree;
        tree_key const& key = tree.key;
        auto* const references = reinterpret_cast<child_reference*>(memory);
        for (std::int64_t i = w.rank(); i < tree.dimension() * tree.dimension(); i += w.size())
            references[i] = child_reference();
        w.sync();
        std::uint32_t const end = tree.children_end(which.node);
        for (std::uint32_t child = tree.first[which.node] + static_cast<std::uint32_t>(w.rank()); child < end;
             child += static_cast<std::uint32_t>(w.size())) {
            std::uint64_t const number = tree.numbers[child];
            references[key.row_in_parent(number, which.level - 1) << key.dimension_log2() |
                       key.column_in_parent(number, which.level - 1)] = tree.references[child];
        }
    }
};

/// Item: a stretch of `nodes` nodes.
template <class T>
struct take_census {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "count a stretch of the skeleton";
    static constexpr std::int64_t nodes = 1024;
    static constexpr int places = level_count * node_kind_count;
    // Visits by level, kind and size class; entries by level and kind. A stretch's sums fit 32 bits.
    static constexpr int entry_counters = places * size_class_count;
    static constexpr int counters = entry_counters + places;
    static constexpr std::size_t scratch_bytes = counters * sizeof(std::uint32_t);

    conversion<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item stretch, Worker& w) const {
        tree_skeleton const& tree = run.from.tree;
        auto* const mine = w.template scratch<std::uint32_t>(counters).data();
        for (int i = w.rank(); i < counters; i += w.size()) mine[i] = 0;
        w.sync();
        std::int64_t const begin = stretch * nodes;
        std::int64_t const end = begin + nodes < tree.node_count() ? begin + nodes : tree.node_count();
        for (std::int64_t i = begin + w.rank(); i < end; i += w.size()) {
            auto const node = static_cast<std::uint32_t>(i);
            int const level = tree.level_of(node);
            if (level == 0 && tree.in_wide_leaf(node)) continue;
            node_figures const figures = tree.figures(node, level);
            int const place = level * node_kind_count + static_cast<int>(figures.shape.kind);
            child_reference const reference(run.arena, 0, figures.shape.entries, figures.shape.kind, level);
            w.add(&mine[place * size_class_count + size_class(reference.entries())], 1u);
            w.add(&mine[entry_counters + place], static_cast<std::uint32_t>(figures.shape.entries));
        }
        w.sync();
        for (int i = w.rank(); i < counters; i += w.size())
            if (mine[i] != 0) w.add(&run.counts[i], static_cast<std::int64_t>(mine[i]));
        w.sync();
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
