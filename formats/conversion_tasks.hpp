// The second step of a conversion (hisparse §3.2): nodes are written from the leaves up, by tasks.
//
//   open_skeleton       a stretch of nodes: counted for the census, the leaves pushed, each into the queue for its size
//   fill_small_leaves   fill_large_leaves
//   fill_wide_parts     a wide leaf part by part
//   fill_inner_nodes    pushed by whoever finishes the last of its children, which have left their references in the
//                       skeleton
#pragma once

#include <array>
#include <copse/formats/entry_keys.hpp>
#include <copse/formats/leaf_writer.hpp>
#include <copse/formats/tree_skeleton.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/push_one_of.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// What all tasks of a conversion share.
template <class T>
struct conversion {
    tree_skeleton tree;
    sorted_values<T> values;
    std::byte* memory;  // the arena
    int arena;          // its number
    std::int64_t* counts;

    COPSE_HOST_DEVICE std::byte* address(std::uint32_t node, node_kind kind) const {
        return memory + tree.offset(node, kind);
    }
    /// f(i, key, value) for entries begin .. end - 1, which the lanes share: two keys by each load of many lanes.
    template <class Worker, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void for_each_entry(Worker& w, std::int64_t begin, std::int64_t end, F f) const {
        if constexpr (Worker::size() == 1) {
            for (std::int64_t i = begin; i < end; ++i) f(i, tree.entries[i], values[i]);
        } else {
            COPSE_NO_UNROLL
            for (std::int64_t i = begin / 2 * 2 + 2 * w.rank(); i < end; i += 2 * w.size()) {
                bool const mine[] = {i >= begin, i + 1 < end};
                std::array<std::uint64_t, 2> keys{};
                std::array<T, 2> own{};
                if (mine[0] && mine[1]) {
                    keys = w.template load_vector<2>(tree.entries + i);
                    own = values.pair(i, w);
                } else {
                    keys[0] = keys[1] = tree.entries[mine[0] ? i : i + 1];
                    own[0] = own[1] = values[mine[0] ? i : i + 1];
                }
                COPSE_UNROLL
                for (int j = 0; j < 2; ++j)
                    if (mine[j]) f(i + j, keys[static_cast<std::size_t>(j)], own[static_cast<std::size_t>(j)]);
            }
        }
    }
};

template <class T>
struct fill_inner_nodes;

/// A node is there. By one lane: whoever brings the last child of a node lets it be written.
template <class T, class Worker>
COPSE_HOST_DEVICE void finish_node(Worker& w, conversion<T> const& run, std::uint32_t node, int level,
                                   leaf_shape const& shape) {
    tree_skeleton const& tree = run.tree;
    tree.references[node] = {run.arena, tree.offset(node, shape.kind), shape.entries, shape.kind, level};
    if (node == tree.root()) return;
    // The count is acquired and released: the reference is seen by the lanes that write the parent.
    std::uint32_t const parent = tree.parents[node];
    if (w.count_down(&tree.pending[parent])) w.template push<fill_inner_nodes<T>>({parent, level + 1});
}

/// A leaf with its entries, which are sorted. Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE void fill_leaf(Worker& w, conversion<T> const& run, std::uint32_t leaf) {
    tree_skeleton const& tree = run.tree;
    leaf_shape const shape = tree.figures(leaf, 0).shape;
    leaf_writer<T> const writer(run.address(leaf, shape.kind), shape, tree.key.order());
    writer.prepare(w);
    std::uint64_t const* const runs = tree.runs_before;
    std::int64_t const begin = tree.first_entry(leaf), end = tree.first_entry(leaf + 1);
    run.for_each_entry(w, begin, end, [&](std::int64_t i, std::uint64_t key, T value) {
        int const position = tree.key.position(key);
        if (shape.kind == node_kind::dense) {
            writer.in_dense(w, position) = value;
        } else if (shape.kind == node_kind::sparse) {
            writer.other(static_cast<int>(i - begin), position) = value;
        } else {
            std::uint64_t const before = runs[i] - runs[begin], own = runs[i + 1] - runs[i];
            auto const in_runs = static_cast<int>(before & 0xffffffffu);
            if (own == 0)
                writer.other(static_cast<int>(i - begin) - in_runs, position) = value;
            else
                writer.in_run(in_runs) = value;
            if (own > 1) writer.begin_run(static_cast<int>(before >> 32), position);
        }
    });
    if (shape.kind == node_kind::diagonal) {
        w.sync();  // the lane that ends a run reads where another began it
        for (std::int64_t i = begin + w.rank(); i < end; i += w.size()) {
            bool const inside = runs[i + 1] - runs[i] > 0;
            bool const goes_on = i + 1 < end && runs[i + 2] - runs[i + 1] == 1;
            if (inside && !goes_on)
                writer.end_run(static_cast<int>((runs[i + 1] - runs[begin]) >> 32) - 1,
                               tree.key.order().row(tree.key.position(tree.entries[i])));
        }
    }
    w.sync();
    if (w.rank() == 0) finish_node(w, run, leaf, 0, shape);
}

/// Leaves with so many entries at most are filled by few lanes.
inline constexpr std::int32_t most_in_small_leaf = 64;

template <class T>
struct fill_small_leaves {
    using item = std::uint32_t;
    static constexpr int width = 8;
    static constexpr char const* name = "fill a small leaf";

    conversion<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item leaf, Worker& w) const {
        fill_leaf(w, run, leaf);
    }
};

template <class T>
struct fill_large_leaves {
    using item = std::uint32_t;
    static constexpr int width = 128;
    static constexpr char const* name = "fill a leaf";

    conversion<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item leaf, Worker& w) const {
        fill_leaf(w, run, leaf);
    }
};

/// Entries part * wide_part_entries and on of the wide leaf that a block of level 1 is. Part p lets parts 2 p + 1 and
/// 2 p + 2 be filled too: there may be a thousand, which one lane would take long to push.
struct wide_part {
    std::uint32_t block;
    std::uint32_t part;
};

template <class T>
struct fill_wide_parts {
    using item = wide_part;
    static constexpr int width = 32;
    static constexpr char const* name = "fill a part of a wide leaf";

    conversion<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& part, Worker& w) const {
        tree_skeleton const& tree = run.tree;
        tree_key const& key = tree.key;
        std::int64_t const begin = tree.block_begin(part.block), end = tree.block_end(part.block);
        std::int64_t const from = begin + part.part * wide_part_entries;
        std::int64_t const to = from + wide_part_entries < end ? from + wide_part_entries : end;
        for (std::uint32_t next = 2 * part.part + 1 + static_cast<std::uint32_t>(w.rank()); next < 2 * part.part + 3;
             next += static_cast<std::uint32_t>(w.size()))
            if (begin + next * wide_part_entries < end) w.template push<fill_wide_parts<T>>({part.block, next});
        wide_leaf_writer<T> const writer(run.address(part.block, node_kind::wide));
        run.for_each_entry(w, from, to, [&](std::int64_t i, std::uint64_t entry, T value) {
            std::uint64_t const leaf = entry >> key.level_bits();
            int const position = key.position(entry);
            writer.put(i - begin, key.row_in_parent(leaf, 0) << key.dimension_log2() | key.order().row(position),
                       key.column_in_parent(leaf, 0) << key.dimension_log2() | key.order().column(position), value);
        });
        if (w.rank() == 0 && w.count_down(&tree.pending[part.block]))
            finish_node(w, run, part.block, 1, tree.figures(part.block, 1).shape);
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
        tree_skeleton const& tree = run.tree;
        node_figures const figures = tree.figures(which.node, which.level);
        std::byte* const memory = run.address(which.node, figures.shape.kind);
        if (figures.shape.kind == node_kind::dense)
            fill_dense(w, which, memory);
        else
            fill_sparse(w, which, memory, figures);
        if (w.rank() == 0) finish_node(w, run, which.node, which.level, figures.shape);
    }

  private:
    template <class Worker>
    COPSE_HOST_DEVICE void fill_sparse(Worker& w, item const& which, std::byte* memory,
                                       node_figures const& figures) const {
        tree_skeleton const& tree = run.tree;
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
        tree_skeleton const& tree = run.tree;
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

/// Item: a stretch of `nodes` nodes. Counts them, and lets those be filled that wait for no others.
template <class T>
struct open_skeleton {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "open a stretch of the skeleton";
    static constexpr std::int64_t nodes = 1024;
    static constexpr int places = level_count * node_kind_count;
    // Visits by level, kind and size class; entries by level and kind. A stretch's sums fit 32 bits.
    static constexpr int entry_counters = places * size_class_count;
    static constexpr int counters = entry_counters + places;
    static constexpr std::size_t scratch_bytes = counters * sizeof(std::uint32_t);

    conversion<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item stretch, Worker& w) const {
        tree_skeleton const& tree = run.tree;
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
            open(w, node, level, figures.shape);
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

  private:
    template <class Worker>
    COPSE_HOST_DEVICE void open(Worker& w, std::uint32_t node, int level, leaf_shape const& shape) const {
        if (level == 0) {
            int const bin = shape.entries <= most_in_small_leaf ? 0 : 1;
            push_one_of<fill_small_leaves<T>, fill_large_leaves<T>>(w, bin, node);
        } else if (shape.kind == node_kind::wide) {
            wide_leaf_writer<T>::prepare(run.address(node, node_kind::wide), shape.entries);
            w.template push<fill_wide_parts<T>>({node, 0});
        }
    }
};

/// In the order that run() gets them: the first that has items is preferred on the CPU.
template <class T, template <class...> class List>
using conversion_tasks =
    List<fill_inner_nodes<T>, fill_large_leaves<T>, fill_small_leaves<T>, fill_wide_parts<T>, open_skeleton<T>>;

}  // namespace copse::detail
