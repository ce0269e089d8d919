// Products with several columns at once, on one core, with the widest vectors that it has.
//
//   X      row j: x + j * x_step, `columns` elements
//   sums   row i: sums + i * step, a row of Y in the making
//
// Rows of sums are padded to whole lines of 64 bytes: step is a multiple of such, and all of a row may be written, with
// anything. Of X nothing but the columns is read.
#pragma once

#include <algorithm>
#include <copse/cpu/leaves/value_streak.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// Columns that are multiplied together at most: 4 lines of X.
template <class V>
inline constexpr int columns_together = 256 / sizeof(V);

/// Elements from a row of sums to the next one.
template <class V>
constexpr std::int64_t sums_step(std::int64_t columns) {
    constexpr std::int64_t line = 64 / sizeof(V);
    return (columns + line - 1) / line * line;
}

/// Of X, from the row on that the operation's columns count from.
template <class V>
struct column_rows {
    V const* x;
    std::int64_t x_step;
    int columns;  // at most columns_together

    column_rows from(std::int64_t row) const { return {x + row * x_step, x_step, columns}; }
};

/// A leaf; of a wide one entries first .. last - 1, which are all in one block of d rows.
struct leaf_piece {
    node leaf;
    std::int32_t first;
    std::int32_t last;
};
/// Leaves that are fetched into the second cache, a number of bytes before their turn. Bytes are estimates, made in the
/// same way when a leaf is fetched and when it is multiplied.
struct leaf_fetch {
    leaf_piece const* next = nullptr;  // fetched after what is up to line_end
    leaf_piece const* end = nullptr;
    std::byte const* line = nullptr;
    std::byte const* line_end = nullptr;
    std::int64_t missing = 0;  // bytes to be fetched by now
    std::int64_t unread = 0;   // bytes of leaves whose turn has come that were not counted as multiplied
};
/// Bytes of a leaf that are fetched, roughly. A wide leaf's are not.
template <class T>
std::int64_t fetched_bytes(leaf_piece const& piece) {
    child_reference const leaf = piece.leaf.reference;
    if (leaf.is_wide_leaf()) return 0;
    return std::int64_t{leaf.entries()} * (leaf.values_once() ? 2 : static_cast<int>(sizeof(T)) + 1);
}
/// Of `count` pieces in the order of `block_rows` block rows: about one of these ahead, because a block row's leaves
/// may be multiplied side by side. (Distances of half and of four times as many bytes are up to 1.3 times as slow.)
template <class T>
leaf_fetch fetch_ahead(leaf_piece const* pieces, std::size_t count, std::size_t block_rows) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) bytes += fetched_bytes<T>(pieces[i]);
    std::int64_t const of_block_row = bytes / static_cast<std::int64_t>(std::max<std::size_t>(block_rows, 1));
    return {pieces, pieces + count, nullptr, nullptr, std::clamp<std::int64_t>(of_block_row * 5 / 4, 8192, 40960), 0};
}

/// Y[i][c] <- factor * sums[i][c] + beta * Y[i][c], i < rows, c < columns. beta == 0 does not read Y.
template <class V>
struct column_output {
    V factor;
    V beta;
    V* y;
    std::int64_t row_step;
    std::int64_t column_step;  // one of the two is 1
    int columns;
    bool past_caches = false;  // Y is too large to be found in a cache again

    column_output from(std::int64_t row) const {
        return {factor, beta, y + row * row_step, row_step, column_step, columns, past_caches};
    }
    /// Whether rows begin with lines of 64 bytes.
    bool is_in_lines() const { return reinterpret_cast<std::uintptr_t>(y) % 64 == 0 && is_whole(row_step); }
    /// Whether Y is to be written past the caches. That takes whole lines.
    bool goes_past_caches() const {
        return past_caches && beta == V(0) && column_step == 1 && is_whole(columns) &&
               (is_in_lines() || row_step == columns);
    }

  private:
    static bool is_whole(std::int64_t elements) { return elements * static_cast<std::int64_t>(sizeof(V)) % 64 == 0; }
};

/// Sums of at most d rows.
template <class V>
struct block_row_sums {
    V* sums;
    std::int64_t step;
    std::int64_t rows;
    bool begun;  // false: sums are not written yet, and 0 is meant

    void begin() {
        if (!begun) std::fill_n(sums, rows * step, V(0));
        begun = true;
    }
};

/// Adds value * X[column] to sums for the entries of `count` leaves, or pieces, in a block row's d rows; X from column
/// 0 on. T: of the matrix, V: of X (T, or double beside float), as for all here. `y`: its rows of Y, which are written;
/// what sums hold then is anything. Null: sums are begun.
template <class T, class V>
void add_leaf_columns(node_reader const& tree, leaf_piece const* pieces, std::int64_t count, column_rows<V> const& x,
                      block_row_sums<V> sums, leaf_fetch& fetch, column_output<V> const* y = nullptr);

/// The same for `count` entries in any order; rows[i] counts from the sums' first, columns[i] from the first row of X.
template <class T, class V>
void add_list_columns(T const* values, std::uint16_t const* rows, std::uint16_t const* columns, int count,
                      column_rows<V> const& x, V* sums, std::int64_t step);

/// Streaks in the order of their rows, which are added stretch after stretch of rows.
template <class T, class V>
struct streak_sweep {
    value_streak<T> const* streaks = nullptr;
    std::int32_t count = 0;
    std::int32_t next = 0;  // the first that is not active yet
    // Of each active streak: where X would be for row 0 if the streak began there; its value; its last row, plus one.
    std::vector<V const*> x = {};
    std::vector<V> values = {};
    std::vector<std::int32_t> ends = {};

    /// From the first row again.
    void begin(value_streak<T> const* first, std::int32_t n) {
        streaks = first;
        count = n;
        next = 0;
        x.clear();
        values.clear();
        ends.clear();
    }
};
/// sums[i - begin] <- the sum of value * X[column] over the sweep's streaks, for rows begin <= i < end; X from column 0
/// on. Stretches ascend and leave out no row.
template <class T, class V>
void begin_with_streaks(streak_sweep<T, V>& sweep, std::int32_t begin, std::int32_t end, column_rows<V> const& x,
                        V* sums, std::int64_t step);

template <class V>
void write_columns(column_output<V> const& y, V const* sums, std::int64_t step, std::int64_t rows);
/// Other threads may read what write_columns() has written past the caches.
void flush_columns();

}  // namespace copse::detail
