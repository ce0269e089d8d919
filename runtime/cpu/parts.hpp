// How parallel loops share their work: contiguous parts that differ by one element at most.
#pragma once

#include <cstdint>

namespace copse::detail {

/// Where part `part` of 0 .. count - 1 begins; part `parts` begins at count.
constexpr std::int64_t part_begin(std::int64_t part, std::int64_t parts, std::int64_t count) noexcept {
    std::int64_t const longer = count % parts;
    return count / parts * part + (part < longer ? part : longer);
}

/// Whether a loop over `count` elements is worth waking other threads for (tens of microseconds, more on a busy machine).
constexpr bool worth_threads(std::int64_t count) noexcept {
    return count >= 1 << 15;
}

}  // namespace copse::detail
