// SELL-P as it lies in memory (Anzt, Tomov, Dongarra, §II, Figure 1; SELL-C-sigma's order of rows as an option).
//
//   Rows stand in slots. A slice is b slots; its rows are as long as its longest, rounded up to a multiple of t, and
//   stored column by column, so that b lanes read side by side. b = 2, t = 2:
//
//     [ 5 . 6 7 ]   slots 0, 1     columns  0 0  2 -1  3 -1  -1 -1
//     [ 8 . . . ]                  values   5 8  6  0  7  0   0  0
//     [ . 9 . . ]   slots 2, 3     columns  1 -1  -1 -1
//                                  values   9  0   0  0
//     slice_offsets  0 8 12
//
// Padding has column -1, behind a row's entries: an explicit zero has its own column, and telling them apart costs no
// memory. Row lengths beside the entries would be 4 bytes per row; they lost, because a product looks at the column anyway.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse {

/// Plain pointers into an executor's memory; does not own. Trivially copyable.
template <class T>
struct sellp_view {
    static constexpr std::int32_t padding = -1;

    std::int64_t const* slice_offsets;   // [slice_count + 1]; multiples of b * t
    std::int32_t const* column_indices;  // [slice_offsets[slice_count]]
    T const* values;                     // likewise; 0 where there is no entry
    std::int32_t const* rows;            // [row_count] the row in each slot; null where slot i holds row i
    std::int64_t row_count;
    std::int64_t column_count;
    std::int64_t slice_count;
    int slice_rows;  // b, a power of two

    COPSE_HOST_DEVICE std::int64_t first_slot(std::int64_t slice) const { return slice * slice_rows; }
    /// Slots of a slice that hold a row: fewer than b in the last one only.
    COPSE_HOST_DEVICE int rows_in(std::int64_t slice) const {
        std::int64_t const left = row_count - first_slot(slice);
        return left < slice_rows ? static_cast<int>(left) : slice_rows;
    }
    COPSE_HOST_DEVICE std::int64_t row_in(std::int64_t slot) const { return rows ? rows[slot] : slot; }
    /// Entries that the longest row of a slice has, padded.
    COPSE_HOST_DEVICE std::int64_t width_of(std::int64_t slice) const {
        return (slice_offsets[slice + 1] - slice_offsets[slice]) / slice_rows;
    }
};

}  // namespace copse
