// What steps write of a tree whose nodes have their places (hisparse §3.2): inner nodes, and wide leaves without their
// crowded blocks, which tasks fill (conversion_tasks.hpp).
#pragma once

#include <copse/formats/from_rows/conversion_tasks.hpp>
#include <copse/formats/tree/inner_node_writer.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// Node above the leaves, numbered from level 1's first; group: all of an inner node, the head and the padding of a
/// wide leaf.
template <class T>
struct write_upper_nodes {
    conversion<T> work;

    template <class Group>
    COPSE_HOST_DEVICE void operator()(std::int64_t which, Group const& group) const {
        tree_skeleton const& tree = work.from.tree;
        auto const node = static_cast<std::uint32_t>(tree.leaf_count() + which);
        int const level = tree.level_of(node);
        leaf_shape const shape = tree.figures(node, level).shape;
        std::byte* const memory = work.address(node, shape.kind);
        if (shape.kind == wide_leaf::kind) {
            if (group.rank() == 0) wide_leaf_writer<T>::prepare(memory, tree.block_entries(node));
            return;
        }
        inner_node_writer const writer(memory, shape.kind, shape.entries, tree.key.dimension_log2());
        writer.prepare(group);
        std::uint32_t const first = tree.first[node];
        for (int i = group.rank(); i < shape.entries; i += group.size()) {
            std::uint32_t const child = first + static_cast<std::uint32_t>(i);
            writer.place(i, tree.key.position_in_parent(tree.numbers[child], level - 1)) =
                tree.reference(child, level - 1);
        }
    }
};

/// i: piece. Its entries, where its leaf is block of a wide leaf and not listed.
template <class T>
struct place_wide_entries {
    conversion<T> work;

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        tree_skeleton const& tree = work.from.tree;
        auto const p = static_cast<std::uint32_t>(i);
        std::uint32_t const leaf = tree.leaf_of[p];
        if (tree.is_listed(leaf)) return;
        wide_part_writer<T> const writer(work, leaf);
        row_stretch const piece = tree.piece(p, 0);
        for (std::int64_t k = piece.begin; k < piece.begin + piece.count; ++k) {
            int const position = position_of(piece, k);
            writer.put(smaller(leaf, position), position, work.values.at(k));
        }
    }

  private:
    COPSE_HOST_DEVICE COPSE_INLINE int position_of(row_stretch const& piece, std::int64_t k) const {
        leaf_order const order = work.from.tree.key.order();
        return order.position(piece.row, work.from.entries.column_of(k) & order.mask());
    }
    /// Entries of the leaf before `position`.
    COPSE_HOST_DEVICE COPSE_INLINE int smaller(std::uint32_t leaf, int position) const {
        tree_skeleton const& tree = work.from.tree;
        int found = 0;
        std::uint32_t const end = tree.first_piece(leaf + 1);
        COPSE_NO_UNROLL
        for (std::uint32_t p = tree.first_piece(leaf); p < end; ++p) {
            row_stretch const piece = tree.piece(p, 0);
            COPSE_NO_UNROLL
            for (std::int64_t k = piece.begin; k < piece.begin + piece.count; ++k)
                found += position_of(piece, k) < position ? 1 : 0;
        }
        return found;
    }
};

// Where leaves are filled before they have their places (conversion_choices):

/// i: leaf. The bytes that it takes at most: without streaks. Behind the last one nothing.
struct bound_leaves {
    tree_skeleton tree;
    std::int64_t* bytes;

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        auto const leaf = static_cast<std::uint32_t>(i);
        std::int64_t const d = tree.dimension();
        bytes[i] =
            leaf == tree.leaf_count()
                ? 0
                : leaf_bytes(smallest_leaf(tree.entries_in(leaf), 0, 0, d, tree.value_bytes), d, tree.value_bytes);
    }
};

/// A leaf for 32 indices, from where it was filled to its place.
struct move_leaves {
    static constexpr std::int64_t shared_by = 32;

    tree_skeleton tree;
    std::int64_t const* first_places;
    std::byte const* from;
    std::byte* to;

    std::int64_t indices() const { return tree.leaf_count() * shared_by; }

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int64_t const leaf = i / shared_by, begin = tree.offsets[leaf], bytes = tree.offsets[leaf + 1] - begin;
        auto const* const source = reinterpret_cast<unit const*>(from + first_places[leaf]);
        auto* const target = reinterpret_cast<unit*>(to + begin);
        for (std::int64_t k = i % shared_by; k < bytes / 16; k += shared_by) target[k] = source[k];
    }

  private:
    struct __attribute__((aligned(16), may_alias)) unit {
        std::uint64_t words[2];
    };
};

}  // namespace copse::detail
