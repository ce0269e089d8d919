// A dense leaf: a value for each of the d * d positions (node_kind::dense).
//
//   | values[d * d] | presence bits |      values once: 16 bytes of the one value
//
// Row-major. In a leaf with n < d * d entries, bit i of the presence words is set where position i is one; a full leaf
// has no words.
#pragma once

#include <copse/formats/leaves/entry_search.hpp>
#include <copse/formats/leaves/leaf_memory.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/leaf_stretch.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse {

/// A dense leaf as it is stored: position i is row i / d, column i % d of the stored leaf; `transposed` swaps the two.
template <class T>
struct dense_leaf_view {
    entry_values<T> values;
    std::uint32_t const* presence;  // nullptr: every position is an entry
    int dimension_log2;
    bool transposed;

    COPSE_HOST_DEVICE bool is_entry(int position) const { return (entries_from(position) & 1) != 0; }
    /// Bit i: whether position + i is an entry, for those in the same 32.
    COPSE_HOST_DEVICE std::uint32_t entries_from(int position) const {
        return presence == nullptr ? ~0u : detail::in_global_memory(presence)[position / 32] >> (position % 32);
    }
};

namespace detail {

struct dense_leaf {
    static constexpr node_kind kind = node_kind::dense;
    static constexpr char const* name = "dense leaf";
    static constexpr leaf_kinds kinds = leaf_kinds::dense;

    COPSE_HOST_DEVICE static constexpr leaf_shape shape(std::int64_t entries) {
        return {kind, static_cast<std::int32_t>(entries), 0, 0};
    }
    COPSE_HOST_DEVICE static constexpr std::int64_t bytes(leaf_shape s, std::int64_t d, std::int64_t value_bytes) {
        std::int64_t const values = values_in_list(d * d, s.others_values, value_bytes);
        return align_node(values * value_bytes + (s.entries < d * d ? d * d / 8 : 0));
    }

    template <class T>
    COPSE_HOST_DEVICE static dense_leaf_view<T> view(std::byte const* memory, child_reference leaf, int log2) {
        std::int64_t const positions = std::int64_t{1} << (2 * log2);
        bool const full = leaf.entries() == positions;
        std::int64_t const value_bytes = leaf.values_once() ? 16 : positions * static_cast<std::int64_t>(sizeof(T));
        return {entry_values<T>(reinterpret_cast<T const*>(memory), stored_as(leaf)),
                full ? nullptr : reinterpret_cast<std::uint32_t const*>(memory + value_bytes), log2, leaf.transposed()};
    }
    template <class T>
    COPSE_HOST_DEVICE static stored_leaf stored(std::byte const* memory, leaf_shape s, std::int64_t d) {
        std::int64_t const positions = d * d, values = values_in_list(positions, s.others_values, sizeof(T));
        bool const full = s.entries == positions || s.values_once();
        return {bytes(s, d, sizeof(T)),
                0,
                values,
                0,
                0,
                full ? nullptr : reinterpret_cast<std::uint32_t const*>(memory + positions * sizeof(T))};
    }

    template <class T>
    COPSE_HOST_DEVICE static leaf_arrays<T> places(std::byte* memory, leaf_shape) {
        return {values<T>(memory), nullptr, nullptr, nullptr};
    }
    /// Everything that is not an entry. The lanes share it.
    template <class T, class Worker>
    COPSE_HOST_DEVICE static void prepare(Worker& w, std::byte* memory, leaf_shape s, std::int64_t d) {
        std::int64_t const positions = d * d;
        for (std::int64_t i = w.rank(); i < positions; i += w.size()) values<T>(memory)[i] = T(0);
        clear_bytes(w, memory, positions * static_cast<std::int64_t>(sizeof(T)), bytes(s, d, sizeof(T)));
    }
    template <class T>
    COPSE_HOST_DEVICE static T* values(std::byte* memory) {
        return reinterpret_cast<T*>(memory);
    }
    template <class T>
    COPSE_HOST_DEVICE static std::uint32_t* presence(std::byte* memory, int log2) {
        return reinterpret_cast<std::uint32_t*>(values<T>(memory) + (std::int64_t{1} << (2 * log2)));
    }
    /// The place of the value of the entry at `position`, which becomes one. index(): how many are before it in
    /// leaf_order.
    template <class T, class Worker, class Index>
    COPSE_HOST_DEVICE COPSE_INLINE static T& place(Worker& w, leaf_arrays<T> const& to, leaf_shape const& s,
                                                   leaf_order order, int position, Index) {
        int const log2 = order.dimension_log2, i = order.row(position) << log2 | order.column(position);
        if (s.entries < 1 << (2 * log2))
            w.set_bits(presence<T>(reinterpret_cast<std::byte*>(to.values), log2) + i / 32, 1u << (i % 32));
        return to.values[i];
    }
};

template <class T>
COPSE_HOST_DEVICE leaf_stretch<T> stretch_of(dense_leaf_view<T> const& leaf) {
    using stored = typename leaf_stretch<T>::kind;
    return {leaf.transposed ? stored::dense_transposed : stored::dense, leaf.values, leaf.presence, nullptr,
            1 << (2 * leaf.dimension_log2)};
}

template <visited What, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_alone(dense_leaf_view<T> const& leaf, F f) {
    int const log2 = leaf.dimension_log2;
    for (int i = 0; i < 1 << (2 * log2); ++i) {
        if (!leaf.is_entry(i)) continue;
        int const row = i >> log2;
        int const column = i & ((1 << log2) - 1);
        visit_one<What>(f, i, leaf.transposed ? column : row, leaf.transposed ? row : column, leaf.values[i]);
    }
}

/// Where the value of the entry in `row` and `column` of op(A) is; null if there is none.
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE T const* find_entry(dense_leaf_view<T> const& leaf, leaf_order, bool flip, int row,
                                                   int column, entry_cursor&) {
    int const position = flip ? column << leaf.dimension_log2 | row : row << leaf.dimension_log2 | column;
    return leaf.is_entry(position) ? leaf.values.at(position) : nullptr;
}

}  // namespace detail
}  // namespace copse
