// The helper skeleton of a conversion (hisparse §3.2): all nodes of a tree before their memory is written, found from
// the sorted keys of its pieces (row_stretches.hpp, node_starts.hpp).
//
//   nodes      | leaves | level 1 | level 2 | ... | root |       each level in the order of a traversal
//
// Whatever memory it lies in, the functions below run there: one element at a time, by thousands of threads of a GPU
// or in a loop. A block of level 1 that becomes a wide leaf keeps its leaves here; they are what the wide leaf stands
// for, and not nodes of the tree.
//
// Tasks are for the leaves that are listed. Of a wide leaf these are the crowded ones: a union of lanes puts their
// entries in order. In others an entry's place is the number of smaller ones, which one lane counts.
#pragma once

#include <copse/formats/from_rows/row_stretches.hpp>
#include <copse/formats/from_rows/tree_key.hpp>
#include <copse/formats/node_census.hpp>
#include <copse/formats/tree/census_counters.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// What a node takes in memory.
struct node_figures {
    leaf_shape shape;  // of an inner node: its kind and its children
    std::int64_t bytes;
};

/// Entries `begin` to begin + count - 1 of the matrix, `before` entries of the same leaf in pieces before it.
struct row_stretch {
    int row;  // in the leaf
    std::int64_t begin;
    int count;
    int before;
};

/// A leaf in a wide leaf that has more entries is listed. In others each is compared with each.
inline constexpr std::int64_t most_counted = 32;

struct tree_skeleton {
    tree_key key;
    std::int64_t value_bytes;
    std::uint32_t piece_count;
    std::uint32_t begin[level_count + 1];  // of each level's nodes, and the end of the root's

    // Pieces leaf by leaf, rows ascending in each:
    std::uint64_t const* piece_keys;
    std::uint32_t const* piece_begins;   // the first entry, as the matrix has them
    std::int64_t const* entries_before;  // [piece_count + 1]: in the pieces before each
    std::uint32_t* leaf_of;              // the leaf that the piece is in
    // Of each node:
    std::uint64_t* numbers;  // see tree_key
    std::uint32_t* first;    // its first piece (leaves), or child; one more for the root's end
    std::uint32_t* parents;  // not of the root
    std::int64_t* offsets;   // where it goes in the arena; one more for the arena's size
    std::uint64_t* streaks;  // of each listed leaf: streaks << 32 | entries in them; 0 in a wide leaf
    std::uint32_t* listed;   // leaves that tasks fill
    std::uint32_t listed_count;
    int arena;  // its number

    COPSE_HOST_DEVICE std::uint32_t leaf_count() const { return begin[1]; }
    COPSE_HOST_DEVICE std::uint32_t node_count() const { return begin[key.root_level() + 1]; }
    COPSE_HOST_DEVICE std::uint32_t root() const { return node_count() - 1; }
    COPSE_HOST_DEVICE std::int64_t dimension() const { return std::int64_t{1} << key.dimension_log2(); }
    COPSE_HOST_DEVICE int level_of(std::uint32_t node) const {
        int level = 0;
        while (node >= begin[level + 1]) ++level;
        return level;
    }

    /// The first piece of a leaf; of leaf_count(): their end.
    COPSE_HOST_DEVICE std::uint32_t first_piece(std::uint32_t leaf) const {
        return leaf == leaf_count() ? piece_count : first[leaf];
    }
    /// Entries of the leaves before this one.
    COPSE_HOST_DEVICE std::int64_t first_entry(std::uint32_t leaf) const { return entries_before[first_piece(leaf)]; }
    COPSE_HOST_DEVICE std::int64_t entries_in(std::uint32_t leaf) const {
        return first_entry(leaf + 1) - first_entry(leaf);
    }
    COPSE_HOST_DEVICE row_stretch piece(std::uint32_t i, std::int64_t first_of_leaf) const {
        piece_key const of{key.dimension_log2()};
        return {of.row(piece_keys[i]), piece_begins[i], of.entries(piece_keys[i]),
                static_cast<int>(entries_before[i] - first_of_leaf)};
    }
    /// The end of an inner node's children, which begin at first[node].
    COPSE_HOST_DEVICE std::uint32_t children_end(std::uint32_t node) const { return first[node + 1]; }
    COPSE_HOST_DEVICE std::uint32_t child_count(std::uint32_t node) const { return children_end(node) - first[node]; }
    /// Entries under a node of level 1.
    COPSE_HOST_DEVICE std::int64_t block_entries(std::uint32_t block) const {
        return first_entry(children_end(block)) - first_entry(first[block]);
    }
    COPSE_HOST_DEVICE bool is_wide_leaf(std::uint32_t block) const {
        return is_wide(block_entries(block), child_count(block));
    }
    COPSE_HOST_DEVICE bool in_wide_leaf(std::uint32_t leaf) const {
        return key.root_level() > 0 && is_wide_leaf(parents[leaf]);
    }
    COPSE_HOST_DEVICE bool is_listed(std::uint32_t leaf) const {
        return !in_wide_leaf(leaf) || entries_in(leaf) > most_counted;
    }
    COPSE_HOST_DEVICE void note_streaks(std::uint32_t leaf, leaf_shape const& shape) const {
        streaks[leaf] = static_cast<std::uint64_t>(shape.streaks) << 32 | static_cast<std::uint32_t>(shape.in_streaks);
    }

    /// Of a leaf on its own, a wide leaf or an inner node.
    COPSE_HOST_DEVICE node_figures figures(std::uint32_t node, int level) const {
        leaf_shape shape{};
        if (level == 0) {
            shape = smallest_leaf(entries_in(node), static_cast<std::int64_t>(streaks[node] >> 32),
                                  static_cast<std::int64_t>(streaks[node] & 0xffffffffu), dimension(), value_bytes);
        } else if (level == 1 && is_wide_leaf(node)) {
            shape = wide_leaf::shape(block_entries(node));
        } else {
            auto const children = static_cast<std::int32_t>(child_count(node));
            node_kind const kind = smallest_inner(children, dimension());
            return {{kind, children, 0, 0}, inner_bytes(kind, children, dimension())};
        }
        return {shape, leaf_bytes(shape, dimension(), value_bytes)};
    }
    /// Where a node is in the arena. A wide leaf lies where the leaves that it stands for would lie.
    COPSE_HOST_DEVICE std::uint64_t offset(std::uint32_t node, node_kind kind) const {
        return static_cast<std::uint64_t>(offsets[kind == wide_leaf::kind ? first[node] : node]);
    }
    COPSE_HOST_DEVICE child_reference reference(std::uint32_t node, int level) const {
        leaf_shape const shape = figures(node, level).shape;
        std::uint64_t const at = offset(node, shape.kind);
        return level == 0 || shape.kind == wide_leaf::kind
                   ? leaf_reference(arena, at, shape)
                   : child_reference(arena, at, shape.entries, shape.kind, level);
    }
};

// Functions of an index.

/// i: piece; i = count: nothing.
struct count_entries {
    piece_key key;
    std::uint64_t const* keys;
    std::int64_t count;
    std::int64_t* counts;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const { counts[i] = i < count ? key.entries(keys[i]) : 0; }
};

/// i: leaf.
struct mark_listed {
    tree_skeleton tree;
    std::uint8_t* marks;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        marks[i] = tree.is_listed(static_cast<std::uint32_t>(i)) ? 1 : 0;
    }
};

/// i: node. In its offset the bytes that it takes in the arena: those of a wide leaf at the first of its leaves. Behind
/// the last one nothing.
struct measure_nodes {
    tree_skeleton tree;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        tree.offsets[i] = i < tree.node_count() ? bytes_of(static_cast<std::uint32_t>(i)) : 0;
    }

  private:
    COPSE_HOST_DEVICE std::int64_t bytes_of(std::uint32_t node) const {
        int const level = tree.level_of(node);
        if (level == 0 && tree.in_wide_leaf(node)) {
            std::uint32_t const block = tree.parents[node];
            return node == tree.first[block] ? tree.figures(block, 1).bytes : 0;
        }
        return level == 1 && tree.is_wide_leaf(node) ? 0 : tree.figures(node, level).bytes;
    }
};

/// What the host is told before nodes are written.
struct tree_totals {
    std::int64_t bytes;
    child_reference root;
    std::int64_t counts[census_counters::count];
};

/// i: 0.
struct tell_root {
    tree_skeleton tree;
    tree_totals* totals;
    COPSE_HOST_DEVICE void operator()(std::int64_t) const {
        totals->bytes = tree.offsets[tree.node_count()];
        totals->root = tree.reference(tree.root(), tree.key.root_level());
    }
};

/// Stretch, group: the census of the tree's nodes among `nodes` that follow one another, the listed leaves first.
struct take_census {
    static constexpr std::int64_t nodes = 1024;

    tree_skeleton tree;
    std::int64_t* counts;

    COPSE_HOST_DEVICE std::int64_t all() const {
        return std::int64_t{tree.listed_count} + tree.node_count() - tree.leaf_count();
    }
    COPSE_HOST_DEVICE std::int64_t stretches() const { return (all() + nodes - 1) / nodes; }

    template <class Group>
    COPSE_HOST_DEVICE void operator()(std::int64_t stretch, Group const& group) const {
        census_on_chip const census(group.template memory<std::byte>());
        census.clear(group);
        std::int64_t const begin = stretch * nodes, end = begin + nodes < all() ? begin + nodes : all();
        running_census<std::uint32_t> counted;
        COPSE_NO_UNROLL
        for (std::int64_t i = begin + group.rank(); i < end; i += group.size()) {
            auto const k = static_cast<std::uint32_t>(i);
            std::uint32_t const node =
                k < tree.listed_count ? tree.listed[k] : tree.leaf_count() + k - tree.listed_count;
            int const level = tree.level_of(node);
            if (level == 0 && tree.in_wide_leaf(node)) continue;
            leaf_shape const shape = tree.figures(node, level).shape;
            counted.add(group, census.visits(), census.entries(),
                        child_reference(0, 0, shape.entries, shape.kind, level), shape.entries);
        }
        counted.hand_on(group, census.visits(), census.entries());
        census.add_to(group, counts);
    }
};

}  // namespace copse::detail
