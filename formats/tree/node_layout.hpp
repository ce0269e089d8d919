// How inner nodes lie in memory, and how many bytes a node takes. (Leaves: formats/leaves/leaf.hpp.)
//
// A node at level l covers d^(l+1) rows and columns; level 0 is a leaf. Nodes start at multiples of 16 bytes.
//
//   sparse     | references[p] | rows[p] | columns[p] |      a list as sparse_leaf's, of children in row-major order
//   dense      | references[d * d] |                         null where there is no child
//
// Other orders of children (by columns, by diagonals, a Z-curve; by rows of the whole matrix) are level where leaves
// are full; elsewhere each wins a product or A + B^T and loses the other: bench/results/leaves.md.
#pragma once

#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

COPSE_HOST_DEVICE constexpr std::int64_t dense_inner_bytes(std::int64_t d) {
    return d * d * static_cast<std::int64_t>(sizeof(child_reference));
}
COPSE_HOST_DEVICE constexpr std::int64_t inner_bytes(node_kind kind, std::int64_t children, std::int64_t d) {
    return kind == node_kind::dense ? dense_inner_bytes(d) : sparse_leaf::list_bytes(children, sizeof(child_reference));
}
/// Sparse or dense, whichever takes fewer bytes.
COPSE_HOST_DEVICE constexpr node_kind smallest_inner(std::int64_t children, std::int64_t d) {
    return dense_inner_bytes(d) < inner_bytes(node_kind::sparse, children, d) ? node_kind::dense : node_kind::sparse;
}

/// What the size of a node depends on besides its reference.
struct node_geometry {
    int dimension_log2;
    std::int64_t value_bytes;

    COPSE_HOST_DEVICE std::int64_t dimension() const { return std::int64_t{1} << dimension_log2; }
};

/// Children, and in a dense node the places without one.
COPSE_HOST_DEVICE inline int child_slot_count(child_reference inner, int dimension_log2) {
    return inner.kind() == node_kind::dense ? 1 << (2 * dimension_log2) : inner.entries();
}

struct node_extent {
    std::int64_t entries;  // exactly; of an inner node: its children
    std::int64_t bytes;
};

COPSE_HOST_DEVICE inline node_extent extent_of_inner(child_reference node, std::int64_t d) {
    return {node.entries(), inner_bytes(node.kind(), node.entries(), d)};
}
/// memory: the node, of which the first head_bytes are read where has_head(), none in others.
COPSE_HOST_DEVICE inline node_extent extent_of(child_reference node, std::byte const* memory, node_geometry g) {
    if (!node.is_leaf()) return extent_of_inner(node, g.dimension());
    leaf_shape const shape = shape_of(node, memory);
    return {shape.entries, leaf_bytes(shape, g.dimension(), g.value_bytes)};
}

/// What a node takes at most, as far as its reference tells.
inline std::int64_t most_node_bytes(child_reference node, node_geometry g) {
    return node.is_leaf() ? most_leaf_bytes(node, g.dimension(), g.value_bytes)
                          : extent_of_inner(node, g.dimension()).bytes;
}

}  // namespace copse::detail
