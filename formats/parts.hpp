// Cutting a range into contiguous parts that differ by one element at most: how parallel loops share their work.
#pragma once

#include <cstdint>

namespace copse::detail {

/// Where part `part` of 0 .. count - 1 begins; part `parts` begins at count.
constexpr std::int64_t part_begin(std::int64_t part, std::int64_t parts, std::int64_t count) noexcept {
    std::int64_t const longer = count % parts;
    return count / parts * part + (part < longer ? part : longer);
}

}  // namespace copse::detail
