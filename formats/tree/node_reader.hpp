// Reads nodes: on the host, on the GPU, in every task of the library. The reader knows neither the type of the values
// nor the matrix's scale and shape; tree_view.hpp has what tasks of users read by. formats/leaves/ and
// formats/tree/node_layout.hpp say how nodes lie in memory.
#pragma once

#include <copse/formats/leaves/entry_search.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Reads nodes. Trivially copyable; valid while any matrix that owns the content lives.
class node_reader {
  public:
    node_reader() = default;
    /// The reader keeps the number and address of one arena, and finds the others in the table.
    COPSE_HOST_DEVICE node_reader(int arena, std::byte const* address, std::byte const* const* arenas,
                                  int dimension_log2)
        : arena_address_(address), arenas_(arenas), arena_(arena), dimension_log2_(dimension_log2) {}

    COPSE_HOST_DEVICE int dimension() const { return 1 << dimension_log2_; }
    COPSE_HOST_DEVICE bool is_leaf(node n) const { return n.reference.is_leaf(); }
    COPSE_HOST_DEVICE int dimension_log2() const { return dimension_log2_; }
    COPSE_HOST_DEVICE leaf_order order() const { return {dimension_log2_}; }

    /// The number of places for children of an inner node: its children and, in a dense node, the places without one.
    COPSE_HOST_DEVICE int child_count(node n) const { return child_slot_count(n.reference, dimension_log2_); }
    /// The child at place i, 0 <= i < child_count(n); false where a dense node has none.
    COPSE_HOST_DEVICE node child(node n, int i) const {
        std::byte const* const memory = address(n.reference);
        child_reference const reference = reinterpret_cast<child_reference const*>(memory)[i];
        std::uint32_t row, column;
        if (n.reference.kind() == node_kind::dense) {
            row = static_cast<std::uint32_t>(i) >> dimension_log2_;
            column = static_cast<std::uint32_t>(i) & (static_cast<std::uint32_t>(dimension()) - 1);
        } else {
            std::int64_t const p = padded_entries(n.reference.entries());
            auto const* const rows = reinterpret_cast<std::uint8_t const*>(memory + p * sizeof(child_reference));
            row = rows[i];
            column = rows[p + i];
        }
        bool const flip = n.reference.transposed();
        int const shift = dimension_log2_ * n.reference.level();
        return {reference ? reference.seen_through(n.reference) : reference, n.row + ((flip ? column : row) << shift),
                n.column + ((flip ? row : column) << shift)};
    }

    /// The place, for child(), of row `row` and column `column` of an inner node's d x d, as op(A) sees them; -1 if the
    /// node has no such place.
    COPSE_HOST_DEVICE int place_of(node n, int row, int column) const {
        bool const flip = n.reference.transposed();
        int const place = flip ? column << dimension_log2_ | row : row << dimension_log2_ | column;
        if (n.reference.kind() == node_kind::dense) return place;
        std::int64_t const p = padded_entries(n.reference.entries());
        auto const* const rows =
            reinterpret_cast<std::uint8_t const*>(address(n.reference) + p * sizeof(child_reference));
        int const i =
            lower_bound(n.reference.entries(), place, [&](int k) { return rows[k] << dimension_log2_ | rows[p + k]; });
        bool const found = i < n.reference.entries() && (rows[i] << dimension_log2_ | rows[p + i]) == place;
        return found ? i : -1;
    }
    /// The child there; false if there is none.
    COPSE_HOST_DEVICE node child_at(node n, int row, int column) const {
        int const i = place_of(n, row, column);
        return i < 0 ? node{} : child(n, i);
    }

    // Views have the values as they are stored: n.reference has their sign (formats/leaves/value_sign.hpp).

    template <class T>
    COPSE_HOST_DEVICE sparse_leaf_view<T> sparse_leaf(node n) const {
        return view_of<detail::sparse_leaf, T>(n);
    }
    template <class T>
    COPSE_HOST_DEVICE dense_leaf_view<T> dense_leaf(node n) const {
        return view_of<detail::dense_leaf, T>(n);
    }
    template <class T>
    COPSE_HOST_DEVICE diagonal_leaf_view<T> diagonal_leaf(node n) const {
        return view_of<detail::diagonal_leaf, T>(n);
    }
    template <class T>
    COPSE_HOST_DEVICE wide_leaf_view<T> wide_leaf(node n) const {
        return view_of<detail::wide_leaf, T>(n);
    }
    /// The number of entries of a wide leaf.
    COPSE_HOST_DEVICE int wide_count(node n) const { return detail::wide_leaf::count(address(n.reference)); }

    /// The view of a leaf of the kind that Leaf owns (formats/leaves/leaf.hpp).
    template <class Leaf, class T>
    COPSE_HOST_DEVICE auto view_of(node n) const {
        return Leaf::template view<T>(address(n.reference), n.reference, dimension_log2_);
    }

    COPSE_HOST_DEVICE std::byte const* address(child_reference r) const {
        // Most matrices have one arena: its address is at hand without a load.
        return in_global_memory((r.arena() == arena_ ? arena_address_ : arenas_[r.arena()]) + r.offset());
    }

  private:
    std::byte const* arena_address_ = nullptr;
    std::byte const* const* arenas_ = nullptr;
    int arena_ = 0;
    int dimension_log2_ = 0;
};

/// Calls f(view) with the view of a leaf, values as they are stored. Kinds: the kinds that the leaf can be.
template <class T, leaf_kinds Kinds = leaf_kinds::wide, class F>
COPSE_HOST_DEVICE COPSE_INLINE auto with_leaf(node_reader const& tree, node leaf, F f) {
    return with_kind<Kinds>(leaf.reference.kind(),
                            [&](auto owner) { return f(tree.template view_of<decltype(owner), T>(leaf)); });
}

/// How many bytes a leaf takes, and where its values are.
template <class T>
COPSE_HOST_DEVICE stored_leaf stored(node_reader const& tree, child_reference leaf) {
    std::byte const* const memory = tree.address(leaf);
    return with_kind(leaf.kind(), [&](auto owner) {
        return owner.template stored<T>(memory, shape_of(leaf, memory), tree.dimension());
    });
}

}  // namespace copse::detail
