// Whether C is op(A) + op(B), entry by entry, by looking up each entry of C in A and in B: what large sums are held to
// on the GPU. Host and device run the same code. The bound is that of cpu/reference.hpp. By entries, not by rows: a row
// may have a fifth of them, which would be one thread's work.
#pragma once

#include <cmath>
#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <memory>

namespace copse::bench {

/// C by rows in its memory, offsets of 64 bits; those of C^T when `transposed`. `owner`: of what was made for that.
template <class T>
struct rows_of_sum {
    csr_matrix_view<T> rows;
    std::int64_t entry_count;
    bool transposed;
    std::shared_ptr<void const> owner;
};
/// c: with a scale of 1, which is a sum's without factors.
template <class T>
rows_of_sum<T> rows_of(csr_matrix<T> const& c) {
    return {c.content()->view(), c.entry_count(), c.is_transposed(), c.content()};
}

/// op(M), where columns ascend within the rows of M.
template <class T>
struct addend_rows {
    csr_matrix_view<T> m;
    bool transpose = false;

    /// In which the rows of c are looked up.
    addend_rows for_rows_of(rows_of_sum<T> const& c) const { return {m, transpose != c.transposed}; }
    /// Whether rows are as many and as long as those of op(M).
    bool has_shape_of(csr_matrix_view<T> const& rows) const {
        return (transpose ? m.column_count : m.row_count) == rows.row_count &&
               (transpose ? m.row_count : m.column_count) == rows.column_count;
    }
    /// Of op(M) at (row, column); null where it has no entry.
    COPSE_HOST_DEVICE T const* find(std::int64_t row, std::int64_t column) const {
        std::int64_t const i = transpose ? column : row, j = transpose ? row : column;
        std::int64_t low = m.row_offsets[i], high = m.row_offsets[i + 1];
        std::int64_t const end = high;
        while (low < high) {
            std::int64_t const middle = low + (high - low) / 2;
            if (m.column_indices[middle] < j)
                low = middle + 1;
            else
                high = middle;
        }
        return low < end && m.column_indices[low] == j ? m.values + low : nullptr;
    }
};

/// The row that entry k is in; some row of the matrix where offsets do not ascend.
template <class T>
COPSE_HOST_DEVICE std::int64_t row_of_entry(csr_matrix_view<T> const& m, std::int64_t k) {
    std::int64_t low = 0, high = m.row_count - 1;  // offsets[low] <= k
    while (low < high) {
        std::int64_t const middle = low + (high - low + 1) / 2;
        if (m.row_offsets[middle] <= k)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/// Whether entry k of A, as stored, has one of op(B) in its place of op(A).
template <class T>
COPSE_HOST_DEVICE bool is_pair(addend_rows<T> const& a, addend_rows<T> const& b, std::int64_t k) {
    std::int64_t const i = row_of_entry(a.m, k), j = a.m.column_indices[k];
    return (a.transpose ? b.find(j, i) : b.find(i, j)) != nullptr;
}

/// |c - (a + b)| in units of what arithmetic in T may be off by; infinity for NaN, and where there is neither.
template <class T>
COPSE_HOST_DEVICE double error_of_entry(T c, T const* a, T const* b) {
    if (!a && !b) return HUGE_VAL;
    double const epsilon = sizeof(T) == 4 ? 0x1p-23 : 0x1p-52, tiny = sizeof(T) == 4 ? 0x1p-149 : 0x1p-1074;
    double const from_a = a ? static_cast<double>(*a) : 0, from_b = b ? static_cast<double>(*b) : 0;
    double const difference = std::fabs(static_cast<double>(c) - (from_a + from_b));
    if (difference == 0) return 0;
    double const magnitude = std::fabs(from_a) + std::fabs(from_b);
    double const bound = magnitude == 0 ? 0 : 2 * (epsilon * magnitude + tiny);
    return difference <= bound * 1e300 && bound > 0 ? difference / bound : HUGE_VAL;
}

/// Whether row `i` of C, which has `entry_count` entries in all, begins and ends where it may.
template <class T>
COPSE_HOST_DEVICE bool has_right_offsets(csr_matrix_view<T> const& c, std::int64_t entry_count, std::int64_t i) {
    std::int64_t const begin = c.row_offsets[i], end = c.row_offsets[i + 1];
    bool const begins = i > 0 ? begin >= 0 : begin == 0;
    bool const ends = i + 1 < c.row_count ? end <= entry_count : end == entry_count;
    return begins && begin <= end && ends;
}

/// Of entry k of C. Infinity where its column is none or does not ascend within the row. All entries right, all rows
/// with right offsets, and as many entries as A and B without pairs: then C is the sum.
template <class T>
COPSE_HOST_DEVICE double error_of_sum_entry(csr_matrix_view<T> const& c, addend_rows<T> const& a,
                                            addend_rows<T> const& b, std::int64_t k) {
    std::int64_t const i = row_of_entry(c, k), j = c.column_indices[k];
    std::int64_t const before = k > 0 && c.row_offsets[i] < k ? c.column_indices[k - 1] : -1;
    if (j < 0 || j <= before || j >= c.column_count) return HUGE_VAL;
    return error_of_entry(c.values[k], a.find(i, j), b.find(i, j));
}

}  // namespace copse::bench
