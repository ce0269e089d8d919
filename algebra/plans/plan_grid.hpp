// How many blocks of a GPU share the items of a kernel in which nothing is pushed: the parts of a plan, or of a flat
// format's product.
#pragma once

#include <algorithm>
#include <cstdint>

namespace copse::detail {

/// resident: as many blocks as the device has room for at once; each goes on to the item that is so many further, and
/// all of them through the items in order. whole: a worker for each item, and the device starts blocks as others end.
/// (Drawing items by a counter would need that zeroed in each product.)
enum class plan_grid { resident, whole };

/// per_block: items that a block works on at once; resident: blocks that the device has room for.
constexpr std::int64_t blocks_of(plan_grid grid, std::int64_t count, std::int64_t per_block, std::int64_t resident) {
    std::int64_t constexpr most = std::int64_t{1} << 30;
    std::int64_t const whole = std::min((count + per_block - 1) / per_block, most);
    return grid == plan_grid::resident ? std::min(whole, resident) : whole;
}

}  // namespace copse::detail
