// Products with several columns at once, on one core, with the widest vectors that it has.
//
//   X      row j: x + j * x_step, `columns` elements
//   sums   row i: sums + i * step, a row of Y in the making
//
// Rows of sums are padded to whole lines of 64 bytes: step is a multiple of such, and all of a row may be written, with
// anything. Of X nothing but the columns is read.
#pragma once

#include <copse/cpu/leaves/value_streak.hpp>
#include <copse/formats/tree/node_reader.hpp>
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
/// sums[row] += value * X[column] for the entries of `count` leaves, or pieces, in the d rows that sums begin with; X
/// from column 0 on. T: of the matrix, V: of X (T, or double beside float), as for all here.
template <class T, class V>
void add_leaf_columns(node_reader const& tree, leaf_piece const* pieces, std::int64_t count, column_rows<V> const& x,
                      V* sums, std::int64_t step);

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
};
template <class V>
void write_columns(column_output<V> const& y, V const* sums, std::int64_t step, std::int64_t rows);
/// Other threads may read what write_columns() has written past the caches.
void flush_columns();

}  // namespace copse::detail
