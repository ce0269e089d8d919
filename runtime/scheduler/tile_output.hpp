// How the sums of a tile go to memory: by which kind of addition, and which elements by one.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>
#include <type_traits>

namespace copse::detail {

/// one by one; up to 16 bytes by an instruction (float); all of them by one operation that reads scratch itself
enum class tile_output { by_element, by_vector, in_bulk };

/// For `count` sums of which `touched` got something, to be added to memory at an address. In bulk what got nothing is
/// added to as well, with -0: that changes no number. (But additions to float on a GPU take numbers below 2^-126 for 0.)
template <class T>
COPSE_HOST_DEVICE constexpr tile_output choose_tile_output(int touched, int count, std::uintptr_t address) {
    if (!std::is_floating_point_v<T> || address % 16 != 0) return tile_output::by_element;
    bool const whole = count * sizeof(T) % 16 == 0;
    if (whole && touched > 0 && 2 * touched >= count) return tile_output::in_bulk;
    return std::is_same_v<T, float> ? tile_output::by_vector : tile_output::by_element;
}

/// Elements first .. first + count - 1 of four: one addition of 1, 2 or 4, or none.
struct vector_part {
    int first;
    int count;
};

/// The smallest that has all which got something: bit i of `touched` for element i.
COPSE_HOST_DEVICE constexpr vector_part part_with(unsigned touched) {
    bool const low = (touched & 3) != 0, high = (touched & 12) != 0;
    if (low && high) return {0, 4};
    int const first = high ? 2 : 0;
    switch (touched >> first) {
        case 0:
            return {0, 0};
        case 1:
            return {first, 1};
        case 2:
            return {first + 1, 1};
        default:
            return {first, 2};
    }
}

}  // namespace copse::detail
