// Where the 16 bytes begin that an element is part of: the most that a lane loads or stores at once.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// How many elements before p its 16 bytes begin. p is a multiple of sizeof(T).
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE int misalignment(T const* p) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) / sizeof(T) % (16 / sizeof(T)));
}

}  // namespace copse::detail
