// The least and the largest of some indices.
#pragma once

#include <cstdint>

namespace copse::detail {

struct index_range {
    std::uint32_t least, most;
};

/// Of indices[0 .. count - 1]; count > 0. By vectors.
index_range range_of(std::uint32_t const* indices, std::int64_t count);

}  // namespace copse::detail
