// Parts of a matrix that is made of slices or strips, which are not cut: for cpu_product.
#pragma once

#include <copse/cpu/flat/row_shares.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// Boundaries of at most `wanted` stretches of 0 .. count - 1 with about equal work, ascending; the first is 0 and the
/// last is `count`. work_before(i): the work of all before i, 0 <= i <= count; it must not descend.
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
