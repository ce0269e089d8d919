// A list: entries one by one, ascending in leaf_order (node_kind::sparse; COO1, COO2 and COO4 of the paper).
//
//   | values[p] | rows[p] | columns[p] |      one byte a coordinate; values once: 16 bytes of the one value
//
// p: the entry count n, above 2 rounded up to a multiple of 4, so that a thread may load 4 entries at once. Padding is
// zero and not an entry. Bitmaps lost against lists (products 1.5 to 2.4 times as long, 0.02 % of the suite's bytes
// saved), and so did rows with one-byte columns and offsets of their own (as fast; 0.18 % saved, on scattered diagonals
// 4 %): bench/results/leaves.md.
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

/// A list as op(A) sees it: entry i is (rows[i], columns[i], values[i]).
template <class T>
struct sparse_leaf_view {
    entry_values<T> values;
    std::uint8_t const* rows;
    std::uint8_t const* columns;
    int count;
};

namespace detail {

struct sparse_leaf {
    static constexpr node_kind kind = node_kind::sparse;
    static constexpr char const* name = "sparse leaf";
    static constexpr leaf_kinds kinds = leaf_kinds::sparse;

    /// With `payload_bytes` beside each pair of coordinates: an inner node that is not dense is such a list too.
    COPSE_HOST_DEVICE static constexpr std::int64_t list_bytes(std::int64_t n, std::int64_t payload_bytes) {
        return align_node(padded_entries(n) * (payload_bytes + 2));
    }
    COPSE_HOST_DEVICE static constexpr std::int64_t bytes(leaf_shape s, std::int64_t, std::int64_t value_bytes) {
        return s.values_once() ? align_node(16 + 2 * padded_entries(s.entries)) : list_bytes(s.entries, value_bytes);
    }

    template <class T, leaf_place Place = leaf_place::tree>
    COPSE_HOST_DEVICE static sparse_leaf_view<T> view(std::byte const* memory, child_reference leaf, int) {
        std::int64_t const p = padded_entries(leaf.entries());
        bool const flip = leaf.transposed(), once = leaf.values_once();
        auto const* const rows = reinterpret_cast<std::uint8_t const*>(memory + (once ? 16 : p * sizeof(T)));
        auto const* const columns = rows + p;
        return {entry_values<T>(reinterpret_cast<T const*>(memory), stored_as(leaf)),
                in_leaf<Place>(flip ? columns : rows), in_leaf<Place>(flip ? rows : columns), leaf.entries()};
    }
    template <class T>
    COPSE_HOST_DEVICE static stored_leaf stored(std::byte const*, leaf_shape s, std::int64_t d) {
        std::int64_t const values = values_in_list(padded_entries(s.entries), s.others_values, sizeof(T));
        return {bytes(s, d, sizeof(T)), 0, values, s.values_once() ? values : s.entries, values, nullptr};
    }

    template <class T>
    COPSE_HOST_DEVICE static leaf_arrays<T> places(std::byte* memory, leaf_shape s) {
        std::int64_t const p = padded_entries(s.entries);
        auto* const values = reinterpret_cast<T*>(memory);
        auto* const rows = reinterpret_cast<std::uint8_t*>(values + p);
        return {values, rows, rows + p, values + p};
    }
    /// Everything that is not an entry. The lanes share it.
    template <class T, class Worker>
    COPSE_HOST_DEVICE static void prepare(Worker& w, std::byte* memory, leaf_shape s, std::int64_t d) {
        clear_padding(w, places<T>(memory, s), s.entries);
        clear_bytes(w, memory, padded_entries(s.entries) * static_cast<std::int64_t>(sizeof(T) + 2),
                    bytes(s, d, sizeof(T)));
    }
    /// Behind n entries.
    template <class T, class Worker>
    COPSE_HOST_DEVICE static void clear_padding(Worker& w, leaf_arrays<T> const& list, std::int64_t n) {
        for (std::int64_t i = n + w.rank(); i < padded_entries(n); i += w.size()) {
            list.values[i] = T(0);
            list.rows[i] = list.columns[i] = 0;
        }
    }
};

template <class T>
COPSE_HOST_DEVICE leaf_stretch<T> stretch_of(sparse_leaf_view<T> const& leaf) {
    return {leaf_stretch<T>::kind::bytes, leaf.values, leaf.rows, leaf.columns, leaf.count};
}

template <visited What, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_alone(sparse_leaf_view<T> const& leaf, F f) {
    for (int i = 0; i < leaf.count; ++i) visit_one<What>(f, i, leaf.rows[i], leaf.columns[i], leaf.values[i]);
}

/// Where the value of the entry in `row` and `column` is, as the view sees them; null if there is none. flip: whether
/// the view's rows are stored as columns. at: of searches in this leaf.
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE T const* find_entry(sparse_leaf_view<T> const& leaf, leaf_order order, bool flip,
                                                   int row, int column, entry_cursor& at) {
    auto const position = [&](int r, int c) { return flip ? order.position(c, r) : order.position(r, c); };
    int const i = lower_bound_near(at.entry, leaf.count, position(row, column),
                                   [&](int k) { return position(leaf.rows[k], leaf.columns[k]); });
    bool const found = i < leaf.count && leaf.rows[i] == row && leaf.columns[i] == column;
    at.entry = i + (found ? 1 : 0);
    return found ? leaf.values.at(i) : nullptr;
}

}  // namespace detail
}  // namespace copse
