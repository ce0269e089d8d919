// A view that reads nodes: on the host, on the GPU, in every task. formats/tree/node_layout.hpp says how they lie in memory.
#pragma once

#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse {
namespace detail {

/// `p`, which points into nodes. An address that was loaded or chosen may be one of shared memory, as far as nvcc knows:
/// loads through it go the slower way, and wait for what is stored on chip.
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE T const* in_global_memory(T const* p) {
#if defined(__CUDA_ARCH__)
    __builtin_assume(__isGlobal(p));
#endif
    return p;
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

    COPSE_HOST_DEVICE bool is_entry(int position) const { return (entries_from(position) & 1) != 0; }
    /// Bit i: whether position + i is an entry, for those in the same 32.
    COPSE_HOST_DEVICE std::uint32_t entries_from(int position) const {
        return presence == nullptr ? ~0u : detail::in_global_memory(presence)[position / 32] >> (position % 32);
    }
};

/// A leaf with runs along diagonals, as op(A) sees it. Run k is (first_rows[k] + i, first_columns[k] + i), i = 0 ..
/// last[k]; the values of run k + 1 follow those of run k.
template <class T>
struct diagonal_leaf_view {
    sparse_leaf_view<T> others;
    std::uint8_t const* first_rows;
    std::uint8_t const* first_columns;
    std::uint8_t const* last;
    int runs;
    T const* run_values;
};

/// A hyper-sparse block of d * d x d * d as op(A) sees it: entry i is (rows[i], columns[i], values[i]).
template <class T>
struct wide_leaf_view {
    T const* values;
    std::uint16_t const* rows;
    std::uint16_t const* columns;
    int count;
};

/// Reads nodes. Trivially copyable; valid while any matrix that owns the content lives.
class tree_view {
  public:
    tree_view() = default;
    /// One arena, by number and address; the others are found in the table.
    COPSE_HOST_DEVICE tree_view(int arena, std::byte const* address, std::byte const* const* arenas, int dimension_log2)
        : arena_address_(address), arenas_(arenas), arena_(arena), dimension_log2_(dimension_log2) {}

    COPSE_HOST_DEVICE int dimension() const { return 1 << dimension_log2_; }
    COPSE_HOST_DEVICE bool is_leaf(node n) const { return n.reference.is_leaf(); }
    COPSE_HOST_DEVICE int dimension_log2() const { return dimension_log2_; }
    COPSE_HOST_DEVICE leaf_order order() const { return {dimension_log2_}; }

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
        return {reinterpret_cast<T const*>(memory), detail::in_global_memory(flip ? columns : rows),
                detail::in_global_memory(flip ? rows : columns), n.reference.entries()};
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

    template <class T>
    COPSE_HOST_DEVICE diagonal_leaf_view<T> diagonal_leaf(node n) const {
        std::byte const* const memory = address(n.reference);
        int const runs = reinterpret_cast<std::uint16_t const*>(memory)[0];
        int const others = reinterpret_cast<std::uint16_t const*>(memory)[1];
        std::int64_t const p = detail::padded_entries(others);
        auto const* const rows = reinterpret_cast<std::uint8_t const*>(memory + 4);
        auto const* const run_rows = rows + 2 * p;
        auto const* const values = reinterpret_cast<T const*>(memory + detail::diagonal_values_offset(runs, others));
        bool const flip = n.reference.transposed();
        return {{values, detail::in_global_memory(flip ? rows + p : rows),
                 detail::in_global_memory(flip ? rows : rows + p), others},
                detail::in_global_memory(flip ? run_rows + runs : run_rows),
                detail::in_global_memory(flip ? run_rows : run_rows + runs),
                run_rows + 2 * runs,
                runs,
                values + p};
    }

    /// Entries of a wide leaf.
    COPSE_HOST_DEVICE int wide_count(node n) const {
        return reinterpret_cast<std::int32_t const*>(address(n.reference))[0];
    }
    template <class T>
    COPSE_HOST_DEVICE wide_leaf_view<T> wide_leaf(node n) const {
        std::byte const* const memory = address(n.reference);
        int const count = wide_count(n);
        std::int64_t const p = detail::wide_padded_entries(count);
        auto const* const rows = reinterpret_cast<std::uint16_t const*>(memory + 16 + p * sizeof(T));
        bool const flip = n.reference.transposed();
        return {reinterpret_cast<T const*>(memory + 16), detail::in_global_memory(flip ? rows + p : rows),
                detail::in_global_memory(flip ? rows : rows + p), count};
    }

    COPSE_HOST_DEVICE std::byte const* address(child_reference r) const {
        // Most matrices have one arena: its address is at hand without a load.
        return detail::in_global_memory((r.arena() == arena_ ? arena_address_ : arenas_[r.arena()]) + r.offset());
    }

  private:
    std::byte const* arena_address_ = nullptr;
    std::byte const* const* arenas_ = nullptr;
    int arena_ = 0;
    int dimension_log2_ = 0;
};

}  // namespace copse
