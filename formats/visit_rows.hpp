// The rows of a leaf: a function for each row that has entries, which come side by side.
//
//   copse::for_each_row_of(w, tree, leaf, [&](std::int64_t row, copse::leaf_row<double> const& entries) {
//       double largest = 0;
//       for (int i = 0; i < entries.count; ++i) largest = std::max(largest, std::abs(entries.value(i)));
//       w.max(&row_norms[row], largest);              // other leaves have entries in this row, too
//   });
//
// Entries lie along diagonals (formats/leaves/leaf_order.hpp): they are sorted by row first. A worker of many lanes
// does so in its scratch memory, for as many rows at a time as fit: it reads the leaf once, and once more for each
// stretch of 512 entries or fewer. One core takes memory for all entries.
#pragma once

#include <array>
#include <copse/formats/tree_view.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/formats/wide_parts.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/sum_before.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace copse {

/// The entries of one row of a leaf, in no particular order; valid while the function runs.
template <class T>
struct leaf_row {
    int count;
    std::int64_t first_column;
    std::uint8_t const* columns;
    T const* values;
    T scale;

    COPSE_HOST_DEVICE std::int64_t column(int i) const { return first_column + columns[i]; }
    COPSE_HOST_DEVICE T value(int i) const { return scale * values[i]; }
};

namespace detail {

inline constexpr int most_leaf_rows = 256, rows_in_scratch_entries = 512;

/// Entries of rows first .. last - 1 of a leaf, sorted by row.
template <class T>
struct sorted_rows {
    T* values;
    std::uint8_t* columns;
    std::int32_t const* begins;  // of all rows of the leaf

    COPSE_HOST_DEVICE void put(std::int32_t at, int column, T value) const {
        values[at] = value;
        columns[at] = static_cast<std::uint8_t>(column);
    }
    template <class Worker, class F>
    COPSE_HOST_DEVICE void call(Worker& w, tree_view<T> const& tree, node leaf, int first, int last, F f) const {
        for (int row = first + w.rank(); row < last; row += w.size())
            if (int const count = begins[row + 1] - begins[row]; count > 0) {
                int const at = begins[row] - begins[first];
                f(std::int64_t{leaf.row} + row,
                  leaf_row<T>{count, leaf.column, columns + at, values + at, tree.scale_of(leaf)});
            }
    }
};

/// f(row, column, value as it is stored), coordinates in the block of d x d.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE void visit_block(Worker& w, tree_view<T> const& tree, node leaf, F f) {
    int const mask = tree.dimension() - 1;
    leaf_part const part = part_of<T>(reader_of(tree), leaf);
    visit_stored_part<T>(w, reader_of(tree), leaf, part.first, part.count,
                         [&](int, int row, int column, T value) { f(row & mask, column & mask, value); });
}

template <lanes_worker Worker>
COPSE_HOST_DEVICE std::byte* row_scratch(Worker& w, int bytes) {
    return w.template scratch<std::byte>(bytes).data();
}
template <core_worker Worker>
std::byte* row_scratch(Worker&, int) {
    return nullptr;
}

template <lanes_worker Worker, class T, class F>
COPSE_HOST_DEVICE void visit_rows(Worker& w, tree_view<T> const& tree, node leaf, std::byte* scratch, F f) {
    int const d = tree.dimension();
    auto* const values = reinterpret_cast<T*>(scratch);
    auto* const begins = reinterpret_cast<std::int32_t*>(values + rows_in_scratch_entries);
    auto* const next = begins + most_leaf_rows + 4;
    sorted_rows<T> const rows{values, reinterpret_cast<std::uint8_t*>(next + most_leaf_rows), begins};
    for (int row = w.rank(); row <= d; row += w.size()) begins[row] = 0;
    w.sync();
    visit_block(w, tree, leaf, [&](int row, int, T) { w.add(&begins[row], 1); });
    w.sync();
    sum_before(w, begins, d + 1);
    COPSE_NO_UNROLL
    for (int first = 0; first < d;) {
        int last = first + 1;  // a row has d entries at most, which fit
        while (last < d && begins[last + 1] - begins[first] <= rows_in_scratch_entries) ++last;
        for (int row = first + w.rank(); row < last; row += w.size()) next[row] = begins[row] - begins[first];
        w.sync();
        if (begins[last] > begins[first])
            visit_block(w, tree, leaf, [&](int row, int column, T value) {
                if (row >= first && row < last) rows.put(w.fetch_add(&next[row], 1), column, value);
            });
        w.sync();
        rows.call(w, tree, leaf, first, last, f);
        w.sync();
        first = last;
    }
}

template <core_worker Worker, class T, class F>
void visit_rows(Worker& w, tree_view<T> const& tree, node leaf, std::byte*, F f) {
    int const d = tree.dimension();
    std::array<std::int32_t, most_leaf_rows + 1> begins{};
    std::array<std::int32_t, most_leaf_rows> next;
    auto const count = [&](int row) -> std::int32_t& { return begins[static_cast<std::size_t>(row) + 1]; };
    visit_block(w, tree, leaf, [&](int row, int, T) { ++count(row); });
    for (int row = 0; row < d; ++row) {
        next[static_cast<std::size_t>(row)] = begins[static_cast<std::size_t>(row)];
        count(row) += begins[static_cast<std::size_t>(row)];
    }
    auto const entries = static_cast<std::size_t>(count(d - 1));
    auto const values = std::make_unique_for_overwrite<T[]>(entries);
    auto const columns = std::make_unique_for_overwrite<std::uint8_t[]>(entries);
    sorted_rows<T> const rows{values.get(), columns.get(), begins.data()};
    visit_block(w, tree, leaf,
                [&](int row, int column, T value) { rows.put(next[static_cast<std::size_t>(row)]++, column, value); });
    rows.call(w, tree, leaf, 0, d, f);
}

}  // namespace detail

/// scratch_bytes of a task that calls for_each_row_of(); its width is 32 or more.
template <class T>
inline constexpr std::size_t row_scratch_bytes = detail::rows_in_scratch_entries*(sizeof(T) + 1) +
                                                 (2 * detail::most_leaf_rows + 4) * sizeof(std::int32_t);

/// Calls f(row, leaf_row<T>) for each row of op(A) in which a leaf of any kind has entries, with all that the leaf has
/// there. A wide leaf is visited part by part (wide_parts.hpp): a row that several parts have comes once for each. Each
/// row is one lane's. All lanes of the worker must call this; f is not collective, and does not call this again.
/// Throws argument_error on the host if `leaf` is no leaf, std::bad_alloc.
template <class Worker, class T, class F>
COPSE_HOST_DEVICE void for_each_row_of(Worker& w, tree_view<T> const& tree, node leaf, F f) {
    if (!detail::expect_node(leaf && leaf.reference.is_leaf(), "for_each_row_of()", "leaf", leaf)) return;
    std::byte* const scratch = detail::row_scratch(w, static_cast<int>(row_scratch_bytes<T>));
    for_each_part(w, tree, leaf, [&](node part) { detail::visit_rows(w, tree, part, scratch, f); });
}

}  // namespace copse
