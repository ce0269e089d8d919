// Searches in offsets that do not descend: which row (slice, strip) an entry is in, and the place of a step of the
// merge path over compressed rows.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// The row that entry `entry` is in, known to be one of low .. high: the last one with row_offsets[row] <= entry. For
/// entry_count, row_count. CSR5 algorithm 4, lines 1-4.
template <class Offset>
COPSE_HOST_DEVICE std::int64_t row_of_entry(Offset const* row_offsets, std::int64_t low, std::int64_t high,
                                            std::int64_t entry) {
    while (low < high) {
        std::int64_t const middle = low + (high - low + 1) / 2;
        if (row_offsets[middle] <= entry)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/// Rows before `row` are ended, entries before `entry` are taken: row + entry steps.
struct merge_point {
    std::int64_t row;
    std::int64_t entry;
};

/// The place after `step` steps, known to be in rows low .. high; row i ends at row_offsets[i + 1], and it ends as soon
/// as its entries are taken.
COPSE_HOST_DEVICE inline merge_point merge_search(std::int64_t const* row_offsets, std::int64_t low, std::int64_t high,
                                                  std::int64_t step) {
    while (low < high) {
        std::int64_t const middle = low + (high - low) / 2;
        // Row `middle` is ended once its own entries and the rows up to it are behind.
        if (row_offsets[middle + 1] + middle + 1 <= step)
            low = middle + 1;
        else
            high = middle;
    }
    return {low, step - low};
}

}  // namespace copse::detail
