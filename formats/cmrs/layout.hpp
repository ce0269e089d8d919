// CMRS as it lies in memory (Koza et al., §3): rows in strips of `height`, a strip's entries in any order.
//
//   height = 2:   [ 1 . . 2 . ]   strip_offsets  0 4 9 10
//                 [ . 3 . . 4 ]   columns        0 3 1 4 | 2 4 2 3 4 | 4
//                 [ . . 5 . 6 ]   row in strip   0 0 1 1 | 0 0 1 1 1 | 0
//                 [ . . 7 8 9 ]   values         1 2 3 4 | 5 6 7 8 9 | 10
//                 [ . . . . 10]
//
//   word = column << row_bits | row in strip       28 + 4 bits, or fewer for the row where columns need more
//
// The padded form (§6.7): strips are chunks of 32 places; a chunk has at most `per_row` entries of each row, side by side,
// so that their places modulo per_row differ. A place without an entry has the word `padding`.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse {

/// Places in a chunk of the padded form: the lanes of a warp.
inline constexpr int cmrs_chunk = 32;

/// Plain pointers into an executor's memory; does not own. Trivially copyable.
template <class T>
struct cmrs_view {
    static constexpr std::uint32_t padding = ~std::uint32_t{0};

    std::int64_t const* strip_offsets;  // [strip_count + 1]
    std::uint32_t const* words;         // [strip_offsets[strip_count]]
    T const* values;                    // likewise; 0 where there is no entry
    std::int64_t row_count;
    std::int64_t column_count;
    std::int64_t strip_count;
    int height;    // at most 2^row_bits
    int row_bits;  // 0 .. 4
    int per_row;   // M of §6.7; 0: not padded
    bool aligned;  // strips are long enough to begin reading at a multiple of 32 before them (§4, third optimisation)

    COPSE_HOST_DEVICE std::int64_t first_row(std::int64_t strip) const { return strip * height; }
    /// `height`, but for the last strip.
    COPSE_HOST_DEVICE int rows_in(std::int64_t strip) const {
        std::int64_t const left = row_count - first_row(strip);
        return left < height ? static_cast<int>(left) : height;
    }
    COPSE_HOST_DEVICE int row_of(std::uint32_t word) const { return static_cast<int>(word & ((1u << row_bits) - 1)); }
    COPSE_HOST_DEVICE std::uint32_t column_of(std::uint32_t word) const { return word >> row_bits; }
};

}  // namespace copse
