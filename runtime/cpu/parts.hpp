// How parallel loops share their work: contiguous parts that differ by one element at most.
#pragma once

#include <cstdint>

namespace copse::detail {

/// Where part `part` of 0 .. count - 1 begins; part `parts` begins at count.
constexpr std::int64_t part_begin(std::int64_t part, std::int64_t parts, std::int64_t count) noexcept {
    std::int64_t const longer = count % parts;
    return count / parts * part + (part < longer ? part : longer);
}

/// As many elements as a thread should take at once: fewer are not worth waking it for (tens of microseconds, more on a
/// busy machine).
inline constexpr std::int64_t elements_at_once = 1 << 15;

/// Whether a loop over `count` elements is worth waking other threads for.
constexpr bool worth_threads(std::int64_t count) noexcept {
    return count >= elements_at_once;
}

}  // namespace copse::detail
