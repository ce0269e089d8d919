// How nodes lie in memory, and a view that reads them: on the host, on the GPU, in every task.
//
// A node at level l covers d^(l+1) rows and columns; level 0 is a leaf. Nodes start at multiples of 16 bytes.
//
//   sparse   | payload[p] | rows[p] | columns[p] |        p: the entry count n, above 2 rounded up to a multiple of 4,
//   so that
//                                                         a thread may load 4 entries at once (COO1, COO2, COO4 of the
//                                                         paper); entries in row-major order; padding is zero and not
//                                                         an entry
//   dense    | payload[d * d] | presence bits |           row-major; in a leaf with n < d * d entries, bit i of the
//   presence
//                                                         words is set where position i is an entry
//
// payload: values of type T in a leaf, child references in an inner node (null where a dense one has no child).
// A node is dense where that takes fewer bytes.
#pragma once

#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse {

namespace detail {

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

}  // namespace detail

/// A sparse leaf as op(A) sees it: entry i is (rows[i], columns[i], values[i]).
template <class T>
struct sparse_leaf_view {
    T const* values;
    std::uint8_t const* rows;
    std::uint8_t const* columns;
    int count;
};

/// A dense leaf as it is stored: position i is row i / d, column i % d of the stored leaf; `transposed` swaps the two.
template <class T>
struct dense_leaf_view {
    T const* values;
    std::uint32_t const* presence;  // nullptr: every position is an entry
    int dimension_log2;
    bool transposed;

    COPSE_HOST_DEVICE bool is_entry(int position) const {
        return presence == nullptr || (presence[position / 32] >> (position % 32) & 1) != 0;
    }
};

/// Reads nodes. Trivially copyable; valid while any matrix that owns the content lives.
class tree_view {
  public:
    tree_view() = default;
    COPSE_HOST_DEVICE tree_view(std::byte const* first_arena, std::byte const* const* arenas, int dimension_log2)
        : first_arena_(first_arena), arenas_(arenas), dimension_log2_(dimension_log2) {}

    COPSE_HOST_DEVICE int dimension() const { return 1 << dimension_log2_; }
    COPSE_HOST_DEVICE bool is_leaf(node n) const { return n.reference.level() == 0; }

    /// Slots for children of an inner node: its children, and in a dense node the places without one.
    COPSE_HOST_DEVICE int child_count(node n) const {
        return n.reference.kind() == node_kind::dense ? 1 << (2 * dimension_log2_) : n.reference.entries();
    }
    /// Child in slot i, 0 <= i < child_count(n); false where a dense node has none.
    COPSE_HOST_DEVICE node child(node n, int i) const {
        std::byte const* const memory = address(n.reference);
        child_reference const reference = reinterpret_cast<child_reference const*>(memory)[i];
        std::uint32_t row, column;
        if (n.reference.kind() == node_kind::dense) {
            row = static_cast<std::uint32_t>(i) >> dimension_log2_;
            column = static_cast<std::uint32_t>(i) & (static_cast<std::uint32_t>(dimension()) - 1);
        } else {
            std::int64_t const p = detail::padded_entries(n.reference.entries());
            auto const* const rows = reinterpret_cast<std::uint8_t const*>(memory + p * sizeof(child_reference));
            row = rows[i];
            column = rows[p + i];
        }
        bool const flip = n.reference.transposed();
        int const shift = dimension_log2_ * n.reference.level();
        return {reference ? reference.transposed_if(flip) : reference, n.row + ((flip ? column : row) << shift),
                n.column + ((flip ? row : column) << shift)};
    }

    template <class T>
    COPSE_HOST_DEVICE sparse_leaf_view<T> sparse_leaf(node n) const {
        std::byte const* const memory = address(n.reference);
        std::int64_t const p = detail::padded_entries(n.reference.entries());
        auto const* const rows = reinterpret_cast<std::uint8_t const*>(memory + p * sizeof(T));
        auto const* const columns = rows + p;
        bool const flip = n.reference.transposed();
        return {reinterpret_cast<T const*>(memory), flip ? columns : rows, flip ? rows : columns,
                n.reference.entries()};
    }

    template <class T>
    COPSE_HOST_DEVICE dense_leaf_view<T> dense_leaf(node n) const {
        std::byte const* const memory = address(n.reference);
        std::int64_t const positions = std::int64_t{1} << (2 * dimension_log2_);
        bool const full = n.reference.entries() == positions;
        return {reinterpret_cast<T const*>(memory),
                full ? nullptr : reinterpret_cast<std::uint32_t const*>(memory + positions * sizeof(T)),
                dimension_log2_, n.reference.transposed()};
    }

    COPSE_HOST_DEVICE std::byte const* address(child_reference r) const {
        // Most matrices have one arena: its address is at hand without a load.
        return (r.arena() == 0 ? first_arena_ : arenas_[r.arena()]) + r.offset();
    }

  private:
    std::byte const* first_arena_ = nullptr;
    std::byte const* const* arenas_ = nullptr;
    int dimension_log2_ = 0;
};

}  // namespace copse
