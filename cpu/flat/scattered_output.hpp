// Where one thread adds its part of a transposed product: an array of its own, of which only what it reaches is used.
#pragma once

#include <algorithm>
#include <cstdint>

namespace copse::detail {

/// Elements begin .. end - 1 of `sums` are in use; the others are neither written nor read, so that untouched pages of
/// the array take no memory.
template <class T>
struct scattered_output {
    T* sums = nullptr;
    std::int64_t begin = 0;
    std::int64_t end = 0;

    /// Takes elements first .. last into use, in steps of a kilobyte or two; those from `count` on do not exist.
    void cover(std::int64_t first, std::int64_t last, std::int64_t count) {
        constexpr std::int64_t step = 256;
        if (begin == end) begin = end = first / step * step;
        if (first < begin) {
            auto const grown = first / step * step;
            std::fill(sums + grown, sums + begin, T{0});
            begin = grown;
        }
        if (last >= end) {
            auto const grown = std::min(count, (last / step + 1) * step);
            std::fill(sums + end, sums + grown, T{0});
            end = grown;
        }
    }
};

}  // namespace copse::detail
