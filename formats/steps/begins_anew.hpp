// What conversions and plans select elements by, and by how many bits they sort.
#pragma once

#include <algorithm>
#include <bit>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// Whether element i begins something: it is marked, or its key >> shift is another than the one before it.
struct begins_anew {
    std::uint8_t const* marks;  // null: by keys
    std::uint64_t const* keys;
    int shift;

    COPSE_HOST_DEVICE bool operator()(std::uint32_t i) const {
        if (marks != nullptr) return marks[i] != 0;
        return i == 0 || keys[i] >> shift != keys[i - 1] >> shift;
    }
};

/// Bits of numbers up to `largest`; at least one, as a sort wants.
inline int bits_to_sort(std::int64_t largest) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(largest, 1))));
}

}  // namespace copse::detail
