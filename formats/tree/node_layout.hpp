// How nodes lie in memory, and how many bytes each kind takes.
//
// A node at level l covers d^(l+1) rows and columns; level 0 is a leaf. Nodes start at multiples of 16 bytes.
//
//   sparse     | payload[p] | rows[p] | columns[p] |
//              p: the entry count n, above 2 rounded up to a multiple of 4, so that a thread may load 4 entries at once
//              (COO1, COO2, COO4 of the paper). Entries of a leaf ascend in leaf_order, children of an inner node in
//              row-major order. Padding is zero and not an entry.
//   dense      | payload[d * d] | presence bits |
//              row-major; in a leaf with n < d * d entries, bit i of the presence words is set where position i is one
//   diagonal   | runs (2 bytes) | others (2 bytes) | rows[q] | columns[q] | first row, first column, length - 1 [runs] |
//              | values of the others [q] | values of the runs |
//              q: padded number of the others, which are a coordinate list; both parts ascend in leaf_order. Values
//              start at a multiple of 16 bytes.
//   wide       | entry count (4 bytes), 12 bytes of padding | values[p] | rows[p] | columns[p] |
//              coordinates of two bytes; ascending by the leaves it stands for, row-major, and in each in leaf_order
//
// Kinds of leaves that lost: bitmaps (products 1.5 to 2.4 times as long as lists', 0.02 % of the suite's bytes saved),
// rows with one-byte columns and offsets of their own (as fast as lists; 0.18 % saved, on scattered diagonals 4 %):
// bench/results/leaves.md.
//
// payload: values of type T in a leaf, child references in an inner node (null where a dense one has no child).
#pragma once

#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

COPSE_HOST_DEVICE constexpr std::int64_t padded_entries(std::int64_t n) {
    return n < 3 ? n : (n + 3) / 4 * 4;
}
COPSE_HOST_DEVICE constexpr std::int64_t align_node(std::int64_t bytes) {
    return (bytes + 15) / 16 * 16;
}
COPSE_HOST_DEVICE constexpr std::int64_t sparse_node_bytes(std::int64_t n, std::int64_t payload_bytes) {
    return align_node(padded_entries(n) * (payload_bytes + 2));
}
COPSE_HOST_DEVICE constexpr std::int64_t dense_leaf_bytes(std::int64_t n, std::int64_t d, std::int64_t value_bytes) {
    return align_node(d * d * value_bytes + (n < d * d ? d * d / 8 : 0));
}
COPSE_HOST_DEVICE constexpr std::int64_t dense_inner_bytes(std::int64_t d) {
    return d * d * static_cast<std::int64_t>(sizeof(child_reference));
}
/// Where a diagonal leaf's values start.
COPSE_HOST_DEVICE constexpr std::int64_t diagonal_values_offset(std::int64_t runs, std::int64_t others) {
    return align_node(4 + 2 * padded_entries(others) + 3 * runs);
}
COPSE_HOST_DEVICE constexpr std::int64_t diagonal_leaf_bytes(std::int64_t n, std::int64_t runs, std::int64_t in_runs,
                                                             std::int64_t value_bytes) {
    std::int64_t const others = n - in_runs;
    return diagonal_values_offset(runs, others) + align_node((padded_entries(others) + in_runs) * value_bytes);
}
COPSE_HOST_DEVICE constexpr std::int64_t wide_padded_entries(std::int64_t n) {
    return (n + 3) / 4 * 4;
}
COPSE_HOST_DEVICE constexpr std::int64_t wide_leaf_bytes(std::int64_t n, std::int64_t value_bytes) {
    return 16 + align_node(wide_padded_entries(n) * (value_bytes + 4));
}

/// What a leaf is to look like, as far as memory goes.
struct leaf_shape {
    node_kind kind;
    std::int32_t entries;
    std::int32_t runs;     // of a diagonal leaf
    std::int32_t in_runs;  // entries in them
};

COPSE_HOST_DEVICE constexpr std::int64_t leaf_bytes(leaf_shape s, std::int64_t d, std::int64_t value_bytes) {
    switch (s.kind) {
        case node_kind::dense:
            return dense_leaf_bytes(s.entries, d, value_bytes);
        case node_kind::diagonal:
            return diagonal_leaf_bytes(s.entries, s.runs, s.in_runs, value_bytes);
        case node_kind::wide:
            return wide_leaf_bytes(s.entries, value_bytes);
        default:
            return sparse_node_bytes(s.entries, value_bytes);
    }
}

/// The rule: the kind that takes the fewest bytes; sparse before diagonal before dense where they take the same.
COPSE_HOST_DEVICE constexpr leaf_shape smallest_leaf(std::int64_t entries, std::int64_t runs, std::int64_t in_runs,
                                                     std::int64_t d, std::int64_t value_bytes) {
    auto const n = static_cast<std::int32_t>(entries);
    leaf_shape best{node_kind::sparse, n, 0, 0};
    leaf_shape const others[] = {
        {node_kind::diagonal, n, static_cast<std::int32_t>(runs), static_cast<std::int32_t>(in_runs)},
        {node_kind::dense, n, 0, 0}};
    for (leaf_shape const& s : others)
        if (leaf_bytes(s, d, value_bytes) < leaf_bytes(best, d, value_bytes)) best = s;
    return best;
}

/// What the size of a node depends on besides its reference.
struct node_geometry {
    int dimension_log2;
    std::int64_t value_bytes;
};

struct node_extent {
    std::int64_t entries;  // exactly; of an inner node: its children
    std::int64_t bytes;
};

/// memory: the node, of which the first 4 bytes are read in a diagonal or wide leaf, none in others.
COPSE_HOST_DEVICE inline node_extent extent_of(child_reference node, std::byte const* memory, node_geometry g) {
    std::int64_t const d = std::int64_t{1} << g.dimension_log2;
    std::int64_t const n = node.entries();
    if (!node.is_leaf())
        return {n,
                node.kind() == node_kind::dense ? dense_inner_bytes(d) : sparse_node_bytes(n, sizeof(child_reference))};
    leaf_shape shape{node.kind(), static_cast<std::int32_t>(n), 0, 0};
    if (node.kind() == node_kind::diagonal) {
        shape.runs = reinterpret_cast<std::uint16_t const*>(memory)[0];
        shape.in_runs = shape.entries - reinterpret_cast<std::uint16_t const*>(memory)[1];
    }
    if (node.kind() == node_kind::wide) shape.entries = reinterpret_cast<std::int32_t const*>(memory)[0];
    return {shape.entries, leaf_bytes(shape, d, g.value_bytes)};
}

/// What a node takes, as far as its reference tells: of a wide leaf up to 15 entries too many, of a diagonal one what
/// the kinds would take that the rule has rejected; of others exactly that.
inline std::int64_t most_node_bytes(child_reference node, node_geometry g) {
    if (!node.is_leaf() || (node.kind() != node_kind::diagonal && node.kind() != node_kind::wide))
        return extent_of(node, nullptr, g).bytes;
    std::int64_t const n = node.entries(), d = std::int64_t{1} << g.dimension_log2;
    if (node.kind() == node_kind::wide) return wide_leaf_bytes(n, g.value_bytes);
    std::int64_t const as_list = sparse_node_bytes(n, g.value_bytes), dense = dense_leaf_bytes(n, d, g.value_bytes);
    return as_list < dense ? as_list : dense;
}

/// Inner nodes: sparse or dense, whichever takes fewer bytes.
COPSE_HOST_DEVICE constexpr node_kind smallest_inner(std::int64_t children, std::int64_t d) {
    return dense_inner_bytes(d) < sparse_node_bytes(children, sizeof(child_reference)) ? node_kind::dense
                                                                                       : node_kind::sparse;
}

/// The rule for hyper-sparse sub-trees at level 1: a wide leaf where it stands for at least two leaves that have at
/// most wide_mean_in_leaf entries on average. Conversions, sums and edits follow it; only an edited node of leaves
/// stays one until wide_mean_of_node.
inline constexpr std::int64_t wide_mean_in_leaf = 16;

/// An inner node that is edited becomes a wide leaf from so many entries in a leaf on: as many edits as it has leaves
/// lie between there and back, which each rewrite all of it. So few as 15 cost at most a tenth of the bytes.
inline constexpr std::int64_t wide_mean_of_node = 15;

/// Whether what is a wide leaf, with at least two blocks, remains one.
COPSE_HOST_DEVICE constexpr bool stays_wide(std::int64_t entries, std::int64_t leaves) {
    return entries <= wide_mean_in_leaf * leaves && entries <= child_reference::most_wide_entries;
}
COPSE_HOST_DEVICE constexpr bool is_wide(std::int64_t entries, std::int64_t leaves) {
    return leaves >= 2 && stays_wide(entries, leaves);
}

}  // namespace copse::detail
