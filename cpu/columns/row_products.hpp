// Products of matrices that are stored by rows, with several columns at once, on one core (column_products.hpp says
// what X and sums are).
#pragma once

#include <copse/cpu/columns/column_products.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// Rows of CSR, or of SELL-P's slices, in slots. Trivially copyable.
template <class T>
struct row_slots {
    std::int64_t const* offsets;  // of rows, or of slices
    std::int32_t const* columns;  // -1: padding, behind a row's entries
    T const* values;
    std::int32_t const* rows;  // in each slot; null: slot i holds row i
    std::int64_t row_count;
    int slice_rows;  // 0: CSR

    explicit row_slots(csr_matrix_view<T> const& a)
        : offsets(a.row_offsets),
          columns(a.column_indices),
          values(a.values),
          rows(nullptr),
          row_count(a.row_count),
          slice_rows(0) {}
    explicit row_slots(sellp_view<T> const& a)
        : offsets(a.slice_offsets),
          columns(a.column_indices),
          values(a.values),
          rows(a.rows),
          row_count(a.row_count),
          slice_rows(a.slice_rows) {}

    /// Of a slot: the first place, the distance to the next one, and behind the last.
    struct places {
        std::int64_t first;
        std::int64_t step;
        std::int64_t end;
    };
    COPSE_HOST_DEVICE places places_of(std::int64_t slot) const {
        if (slice_rows == 0) return {offsets[slot], 1, offsets[slot + 1]};
        std::int64_t const slice = slot / slice_rows;
        return {offsets[slice] + slot % slice_rows, slice_rows, offsets[slice + 1]};
    }
    COPSE_HOST_DEVICE std::int64_t row_in(std::int64_t slot) const { return rows ? rows[slot] : slot; }
    /// Places before the slot, and rows.
    std::int64_t work_before(std::int64_t slot) const {
        if (slice_rows == 0 || slot % slice_rows == 0)
            return slot + offsets[slice_rows == 0 ? slot : slot / slice_rows];
        std::int64_t const slice = slot / slice_rows, width = (offsets[slice + 1] - offsets[slice]) / slice_rows;
        return slot + offsets[slice] + slot % slice_rows * width;
    }
};

/// sums[i] <- row of slot begin + i times X, for slots begin .. end - 1. X from column 0 on.
template <class T>
void multiply_rows_columns(row_slots<T> const& a, std::int64_t begin, std::int64_t end, column_rows<T> const& x,
                           T* sums, std::int64_t step);
/// sums[j] += value * X[row] for each entry (row, j) of slots begin .. end - 1. X from row 0 on.
template <class T>
void scatter_rows_columns(row_slots<T> const& a, std::int64_t begin, std::int64_t end, column_rows<T> const& x, T* sums,
                          std::int64_t step);

}  // namespace copse::detail
