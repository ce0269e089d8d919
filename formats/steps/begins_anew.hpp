// What a conversion selects elements by.
#pragma once

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

}  // namespace copse::detail
