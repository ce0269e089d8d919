// What a leaf is made from on a CPU: one or two sources of entries, each with any position at most once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Where the entries of a source stand: single ones, and runs along diagonals as in a diagonal leaf.
struct leaf_pattern {
    enum class coordinates : std::uint8_t {
        bytes,      // rows and columns of std::uint8_t
        words,      // of std::uint16_t, of which the digits within the leaf count
        positions,  // `rows` are positions (leaf_order) of std::uint16_t
    };
    void const* rows = nullptr;
    void const* columns = nullptr;
    std::uint8_t const* first_rows = nullptr;
    std::uint8_t const* first_columns = nullptr;
    std::uint8_t const* last = nullptr;
    std::int32_t count = 0;    // single entries
    std::int32_t entries = 0;  // with those in runs
    std::int32_t runs = 0;
    coordinates stored = coordinates::bytes;
};

/// The values of a source's entries, each of which counts `factor` times.
template <class T>
struct leaf_values {
    T const* values;
    T const* run_values;
    T factor;
};

/// Where a block goes in a wide leaf.
struct wide_part_place {
    std::byte* leaf;     // prepared
    std::int64_t first;  // entry
    int row;             // of the block, in the wide leaf
    int column;
};

}  // namespace copse::detail
