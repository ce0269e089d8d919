// How loops over rows share their work when rows differ: contiguous stretches of rows with equal shares of the work.
#pragma once

#include <copse/runtime/cpu/parts.hpp>
#include <cstdint>

namespace copse::detail {

/// The first row of part `part` of `parts`; part `parts` begins at row_count. `work_before(row)` is the work of all rows
/// before `row`, 0 <= row <= row_count; it must not descend.
template <class WorkBefore>
std::int64_t first_row(std::int64_t part, std::int64_t parts, std::int64_t row_count, WorkBefore const& work_before) {
    auto const share = part_begin(part, parts, work_before(row_count));
    std::int64_t low = 0;
    std::int64_t high = row_count;
    while (low < high) {
        auto const middle = (low + high) / 2;
        if (work_before(middle) < share) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

}  // namespace copse::detail
