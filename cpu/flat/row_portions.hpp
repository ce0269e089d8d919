// How loops over rows, slices or strips share their work where these differ: contiguous stretches with equal portions
// of it.
#pragma once

#include <copse/runtime/cpu/parts.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// The first row of part `part` of `parts`; part `parts` begins at row_count. `work_before(row)` is the work of all
/// rows before `row`, 0 <= row <= row_count; it must not descend.
template <class WorkBefore>
std::int64_t first_row(std::int64_t part, std::int64_t parts, std::int64_t row_count, WorkBefore const& work_before) {
    auto const portion = part_begin(part, parts, work_before(row_count));
    std::int64_t low = 0;
    std::int64_t high = row_count;
    while (low < high) {
        auto const middle = (low + high) / 2;
        if (work_before(middle) < portion) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Boundaries of at most `wanted` stretches of 0 .. count - 1 with about equal work, ascending; the first is 0 and the
/// last is `count`.
template <class WorkBefore>
std::vector<std::int64_t> stretch_parts(std::int64_t count, std::int64_t wanted, WorkBefore const& work_before) {
    std::vector<std::int64_t> boundaries{0};
    for (std::int64_t part = 1; part < wanted; ++part) {
        auto const begin = first_row(part, wanted, count, work_before);
        if (begin > boundaries.back() && begin < count) boundaries.push_back(begin);
    }
    boundaries.push_back(count);
    return boundaries;
}

}  // namespace copse::detail
