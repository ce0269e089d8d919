// A streak of one value along a diagonal, outside of any leaf: what a plan for a CPU keeps of stencils.
#pragma once

#include <cstdint>

namespace copse::detail {

/// Entries (row + i, column + i), i < count, of one value. Rows count from where the owner says.
template <class T>
struct value_streak {
    std::int32_t row;
    std::int32_t count;
    std::uint32_t column;
    T value;
};

}  // namespace copse::detail
