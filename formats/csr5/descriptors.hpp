// The steps of a conversion from compressed rows to CSR5, tile by tile: the same functions make descriptors on the host
// (csr5/conversion.cpp) and on a GPU (csr5/steps.hpp).
#pragma once

#include <copse/formats/csr5/layout.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <cstdint>

namespace copse::detail {

/// The row that entry `entry` is in: the last one with row_offsets[row] <= entry. For entry_count, row_count.
/// CSR5 algorithm 4, lines 1-4.
COPSE_HOST_DEVICE inline std::int64_t row_of_entry(std::int64_t const* row_offsets, std::int64_t low, std::int64_t high,
                                                   std::int64_t entry) {
    while (low < high) {
        std::int64_t const middle = low + (high - low + 1) / 2;
        if (row_offsets[middle] <= entry)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/// Which entries of a tile begin a row: bit k of word k / 32.
struct entry_flags {
    std::uint32_t const* words;
    std::int64_t first;  // bit of the tile's first entry

    /// Bits begin .. begin + count - 1 of the tile, count <= 32.
    COPSE_HOST_DEVICE std::uint32_t bits(int begin, int count) const {
        std::int64_t const bit = first + begin;
        int const shift = static_cast<int>(bit & 31);
        std::uint64_t two = words[bit >> 5];
        if (shift + count > 32) two |= static_cast<std::uint64_t>(words[(bit >> 5) + 1]) << 32;
        return static_cast<std::uint32_t>((two >> shift) & ((std::uint64_t{1} << count) - 1));
    }
};

/// Writes the tile's descriptor and returns the number of TRUEs in its bit_flag. CSR5 §3.4, algorithm 5: the first
/// entry is flagged always, so that the tile's first segment is sealed.
COPSE_HOST_DEVICE inline int describe_tile(csr5_layout const& layout, entry_flags const& flags,
                                           std::uint32_t* descriptor) {
    int const omega = layout.omega, sigma = layout.sigma, flag_bit = layout.flag_bit();
    // Bits of bit_flag in words 0 .. k of a column.
    auto const bits_up_to = [&](int k) {
        int const room = 32 * (k + 1) - flag_bit;
        return room < sigma ? room : sigma;
    };
    int trues = 0;
    int last_with_true = 0;
    for (int i = 0; i < omega; ++i) {
        int const before = trues;
        for (int k = 0, done = 0; k < layout.words; ++k) {
            int const end = bits_up_to(k);
            std::uint32_t bits = end > done ? flags.bits(i * sigma + done, end - done) : 0;
            if (i == 0 && k == 0) bits |= 1;
            trues += bit_count(bits);
            descriptor[k * omega + i] = k == 0 ? bits << flag_bit | static_cast<std::uint32_t>(before) : bits;
            done = end;
        }
        if (trues == before)  // one more column without a TRUE behind the last one with one
            descriptor[last_with_true] += std::uint32_t{1} << layout.y_bits;
        else
            last_with_true = i;
    }
    return trues;
}

/// Whether a row without entries lies between the tile's first row and the next tile's: there are more rows than
/// beginnings of rows. `starts`: those in the tile behind its first entry; next_starts: whether the next tile's first
/// entry (or the end of all) begins a row. CSR5 algorithm 4, lines 5-12.
COPSE_HOST_DEVICE inline bool tile_has_empty_rows(std::int64_t first_row, std::int64_t next_row, int starts,
                                                  bool next_starts) {
    return next_row - first_row != starts + (next_starts ? 1 : 0);
}

/// Where entry k of a tile is kept in it.
COPSE_HOST_DEVICE inline int place_in_tile(csr5_layout const& layout, int k) {
    return k % layout.sigma * layout.omega + k / layout.sigma;
}

}  // namespace copse::detail
