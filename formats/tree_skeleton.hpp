// The helper skeleton of a conversion (hisparse §3.2): all nodes of a tree before their memory is written, found from
// the sorted keys of its entries (tree_key.hpp).
//
//   nodes      | leaves | level 1 | level 2 | ... | root |       each level in the order of a traversal
//
// Whatever memory it lies in, the functions below run there: one element at a time, by thousands of threads of a GPU or
// in a loop. A block of level 1 that becomes a wide leaf keeps its leaves here; they are what the wide leaf stands for,
// and not nodes of the tree.
#pragma once

#include <copse/formats/diagonal_runs.hpp>
#include <copse/formats/node_census.hpp>
#include <copse/formats/node_layout.hpp>
#include <copse/formats/tree_key.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// Entries of a wide leaf that are written together.
inline constexpr std::int64_t wide_part_entries = 1024;

/// What a node takes in memory.
struct node_figures {
    leaf_shape shape;  // of an inner node: its kind and its children
    std::int64_t bytes;
};

struct tree_skeleton {
    tree_key key;
    std::int64_t value_bytes;
    std::uint32_t entry_count;
    std::uint32_t begin[level_count + 1];  // of each level's nodes, and the end of the root's

    std::uint64_t const* entries;      // keys, ascending, each once
    std::uint64_t const* runs_before;  // [entry_count + 1]: the sum of run_flags before each
    // Of each node:
    std::uint64_t* numbers;       // see tree_key
    std::uint32_t* first;         // its first entry (leaves), or child; one more for the root's end
    std::uint32_t* parents;       // not of the root
    std::uint64_t* offsets;       // where it goes in the arena; one more for the arena's size
    std::uint32_t* pending;       // children that are not yet there (inner nodes), or parts (wide leaves)
    child_reference* references;  // where the node is, once it is written

    COPSE_HOST_DEVICE std::uint32_t leaf_count() const { return begin[1]; }
    COPSE_HOST_DEVICE std::uint32_t node_count() const { return begin[key.root_level() + 1]; }
    COPSE_HOST_DEVICE std::uint32_t root() const { return node_count() - 1; }
    COPSE_HOST_DEVICE std::int64_t dimension() const { return std::int64_t{1} << key.dimension_log2(); }
    COPSE_HOST_DEVICE int level_of(std::uint32_t node) const {
        int level = 0;
        while (node >= begin[level + 1]) ++level;
        return level;
    }

    /// The first entry of a leaf; of leaf_count(): their end.
    COPSE_HOST_DEVICE std::uint32_t first_entry(std::uint32_t leaf) const {
        return leaf == leaf_count() ? entry_count : first[leaf];
    }
    /// The end of an inner node's children, which begin at first[node].
    COPSE_HOST_DEVICE std::uint32_t children_end(std::uint32_t node) const { return first[node + 1]; }
    COPSE_HOST_DEVICE std::uint32_t child_count(std::uint32_t node) const { return children_end(node) - first[node]; }
    /// Entries under a node of level 1.
    COPSE_HOST_DEVICE std::uint32_t block_begin(std::uint32_t block) const { return first_entry(first[block]); }
    COPSE_HOST_DEVICE std::uint32_t block_end(std::uint32_t block) const { return first_entry(children_end(block)); }
    COPSE_HOST_DEVICE bool is_wide_leaf(std::uint32_t block) const {
        return is_wide(block_end(block) - block_begin(block), child_count(block));
    }
    COPSE_HOST_DEVICE bool in_wide_leaf(std::uint32_t leaf) const {
        return key.root_level() > 0 && is_wide_leaf(parents[leaf]);
    }

    /// Of a leaf on its own, a wide leaf or an inner node.
    COPSE_HOST_DEVICE node_figures figures(std::uint32_t node, int level) const {
        leaf_shape shape{};
        if (level == 0) {
            std::uint32_t const from = first_entry(node), to = first_entry(node + 1);
            std::uint64_t const runs = runs_before[to] - runs_before[from];
            shape = smallest_leaf(to - from, static_cast<std::int64_t>(runs >> 32),
                                  static_cast<std::int64_t>(runs & 0xffffffffu), dimension(), value_bytes);
        } else if (level == 1 && is_wide_leaf(node)) {
            shape = {node_kind::wide, static_cast<std::int32_t>(block_end(node) - block_begin(node)), 0, 0};
        } else {
            auto const children = static_cast<std::int32_t>(child_count(node));
            node_kind const kind = smallest_inner(children, dimension());
            return {{kind, children, 0, 0},
                    kind == node_kind::dense ? dense_inner_bytes(dimension())
                                             : sparse_node_bytes(children, sizeof(child_reference))};
        }
        return {shape, leaf_bytes(shape, dimension(), value_bytes)};
    }
    /// Where a node is in the arena. A wide leaf lies where the leaves that it stands for would lie.
    COPSE_HOST_DEVICE std::uint64_t offset(std::uint32_t node, node_kind kind) const {
        return offsets[kind == node_kind::wide ? first[node] : node];
    }
};

/// What entry i adds to runs_before: 2^32 if a run begins with it, and 1 if it is in one.
COPSE_HOST_DEVICE inline std::uint64_t run_flags(tree_key const& key, std::uint64_t const* entries, std::int64_t count,
                                                 std::int64_t i) {
    auto const is_link = [&](std::int64_t k) {
        return k > 0 && k < count && entries[k] == entries[k - 1] + 1 &&
               !key.order().begins_diagonal(key.position(entries[k]));
    };
    int constexpr needed = shortest_run - 1;
    int before = 0, after = 0;
    while (before < needed && is_link(i - before)) ++before;
    while (before + after < needed && is_link(i + 1 + after)) ++after;
    if (before + after < needed) return 0;
    return before == 0 ? (std::uint64_t{1} << 32) + 1 : 1;
}

/// The place of the last element <= value in ascending[0 .. count), of which the first is.
template <class I, class V>
COPSE_HOST_DEVICE std::int64_t last_not_above(I const* ascending, std::int64_t count, V value) {
    std::int64_t low = 0;
    for (std::int64_t high = count; high - low > 1;) {
        std::int64_t const middle = low + (high - low) / 2;
        if (ascending[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Functions of an index.

/// i < count: element. What is summed up: sizes that are there, or else the run_flags of entries.
/// One type for both sums, because each takes nvcc ten seconds.
struct sum_terms {
    tree_key key;
    std::uint64_t const* sizes;
    std::uint64_t const* entries;
    std::int64_t count;
    COPSE_HOST_DEVICE std::uint64_t operator()(std::int64_t i) const {
        if (i >= count) return 0;
        return sizes != nullptr ? sizes[i] : run_flags(key, entries, count, i);
    }
};

/// i: node of a new level, whose first child is starts[i] of the level below; i = count: the end.
struct form_nodes {
    std::uint64_t const* below;   // keys or numbers
    std::uint32_t const* starts;  // [count]
    std::uint32_t below_begin, below_count;
    std::uint32_t begin, count;
    int level_bits;
    std::uint64_t* numbers;
    std::uint32_t* first;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        bool const end = i == count;
        first[begin + i] = below_begin + (end ? below_count : starts[i]);
        if (!end) numbers[begin + i] = below[starts[i]] >> level_bits;
    }
};

/// i: child, numbered from its level's first.
struct find_parents {
    std::uint32_t begin;
    std::uint32_t parent_begin, parent_count;
    std::uint32_t const* first;
    std::uint32_t* parents;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        auto const child = static_cast<std::uint32_t>(begin + i);
        std::int64_t const found = last_not_above(first + parent_begin, parent_count, child);
        parents[child] = static_cast<std::uint32_t>(parent_begin + found);
    }
};

/// i: node. In its offset the bytes that it takes in the arena: those of a wide leaf at the first of its leaves.
struct measure_nodes {
    tree_skeleton tree;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        tree.offsets[i] = static_cast<std::uint64_t>(bytes_of(static_cast<std::uint32_t>(i)));
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

/// i: inner node or wide leaf, numbered from level 1's first.
struct count_pending {
    tree_skeleton tree;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        auto const node = static_cast<std::uint32_t>(tree.leaf_count() + i);
        bool const wide = node < tree.begin[2] && tree.is_wide_leaf(node);
        std::int64_t const entries = wide ? tree.block_end(node) - tree.block_begin(node) : 0;
        tree.pending[node] = wide ? static_cast<std::uint32_t>((entries + wide_part_entries - 1) / wide_part_entries)
                                  : tree.child_count(node);
    }
};

}  // namespace copse::detail
