// Whether C is op(A) + op(B), row by row, by looking up each entry of C in A and in B: what large sums are held to on
// the GPU. Host and device run the same code. The bound is that of cpu/reference.hpp.
#pragma once

#include <cmath>
#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::bench {

/// op(M), where columns ascend within the rows of M.
template <class T>
struct addend_rows {
    csr_view<T> m;
    bool transpose = false;

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

/// How many entries of row `i` of A, as stored, have one of op(B) in their place of op(A).
template <class T>
COPSE_HOST_DEVICE std::int64_t count_pairs(addend_rows<T> const& a, addend_rows<T> const& b, std::int64_t i) {
    std::int64_t count = 0;
    for (auto k = a.m.row_offsets[i]; k < a.m.row_offsets[i + 1]; ++k) {
        std::int64_t const j = a.m.column_indices[k];
        count += (a.transpose ? b.find(j, i) : b.find(i, j)) != nullptr;
    }
    return count;
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

/// The largest error in row `i` of C, which has `entry_count` entries in all. Infinity where its offsets or columns are
/// none or do not ascend. All rows right, and as many entries as A and B without pairs: then C is the sum.
template <class T>
COPSE_HOST_DEVICE double error_of_sum_row(csr_view<T> const& c, std::int64_t entry_count, addend_rows<T> const& a,
                                          addend_rows<T> const& b, std::int64_t i) {
    std::int64_t const begin = c.row_offsets[i], end = c.row_offsets[i + 1];
    bool const begins = i > 0 ? begin >= 0 : begin == 0;
    bool const ends = i + 1 < c.row_count ? end <= entry_count : end == entry_count;
    if (!begins || begin > end || !ends) return HUGE_VAL;
    double largest = 0;
    std::int64_t before = -1;
    for (auto k = begin; k < end; ++k) {
        std::int64_t const j = c.column_indices[k];
        if (j <= before || j >= c.column_count) return HUGE_VAL;
        double const error = error_of_entry(c.values[k], a.find(i, j), b.find(i, j));
        if (error > largest) largest = error;
        before = j;
    }
    return largest;
}

}  // namespace copse::bench
