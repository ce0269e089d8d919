// How CSR5 cuts entries into tiles and packs what it knows of a tile into bits (CSR5 §3.1, §3.4, §3.5).
//
//   tile t: entries t * size .. (t + 1) * size - 1, size = omega * sigma
//
//              column 0   column 1   ...   column omega - 1
//   row 0      entry 0    sigma      ...   (omega - 1) sigma        entries run down the columns, memory runs along the
//   row 1      1          sigma + 1                                 rows: lane i of a vector has column i
//   ...
//   row sigma - 1
//
//   descriptor of a tile: `words` times omega words of 32 bits; column i has word k at [k * omega + i]. Its bits, from
//   the lowest of word 0 on:
//
//   | y_offset: y_bits | segment_offset: segment_bits | bit_flag: sigma, row 0 first |
//
// All is shared by host and device; describe_tile() and what follows it make descriptors, by the host's conversion and
// by steps.
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <cstdint>

namespace copse::detail {

struct csr5_layout {
    int omega = 4;  // a power of two, 4 .. 32
    int sigma = 4;  // 1 .. 128
    int y_bits = 4;
    int segment_bits = 2;
    int words = 1;

    COPSE_HOST_DEVICE int size() const { return omega * sigma; }
    COPSE_HOST_DEVICE int flag_bit() const { return y_bits + segment_bits; }
    COPSE_HOST_DEVICE std::int64_t descriptor_words() const { return std::int64_t{words} * omega; }
};

/// The least bits that tell 0 .. count - 1 apart.
COPSE_HOST_DEVICE constexpr int bits_for(int count) {
    int bits = 0;
    while ((1 << bits) < count) ++bits;
    return bits;
}

COPSE_HOST_DEVICE constexpr csr5_layout make_csr5_layout(int omega, int sigma) {
    int const y_bits = bits_for(omega * sigma), segment_bits = bits_for(omega);
    return {omega, sigma, y_bits, segment_bits, (y_bits + segment_bits + sigma + 31) / 32};
}

/// What a column's words say.
struct csr5_column {
    int y_offset;        // TRUEs of bit_flag in the columns before
    int segment_offset;  // columns behind this one that have no TRUE, as far as they follow it; 0 in such a column
};

COPSE_HOST_DEVICE inline csr5_column unpack_column(csr5_layout const& layout, std::uint32_t word) {
    auto const mask = [](int bits) { return (std::uint32_t{1} << bits) - 1; };
    return {static_cast<int>(word & mask(layout.y_bits)),
            static_cast<int>(word >> layout.y_bits & mask(layout.segment_bits))};
}

/// The flags of a column, row by row.
class column_flags {
  public:
    COPSE_HOST_DEVICE column_flags(csr5_layout const& layout, std::uint32_t const* descriptor, int column)
        : next_(descriptor + layout.omega + column),
          stride_(layout.omega),
          bits_(descriptor[column] >> layout.flag_bit()),
          left_(32 - layout.flag_bit()) {}

    COPSE_HOST_DEVICE bool next() {
        if (left_ == 0) {
            bits_ = *next_;
            next_ += stride_;
            left_ = 32;
        }
        bool const flag = (bits_ & 1) != 0;
        bits_ >>= 1;
        --left_;
        return flag;
    }

  private:
    std::uint32_t const* next_;
    int stride_;
    std::uint32_t bits_;
    int left_;
};

/// Tile pointers: a row, and in the highest bit whether there is a row without entries among it and those up to the
/// next tile's pointer; of the tail too. The bit is a sign that zero can have too.
inline constexpr std::uint32_t csr5_sign = std::uint32_t{1} << 31;

/// Rows to write to for the segments of a tile: the k-th TRUE of its bit_flag, counted from 0, begins one.
struct csr5_segments {
    std::int64_t first_row;
    std::uint32_t const* empty_offsets;  // null in tiles without empty rows

    COPSE_HOST_DEVICE std::int64_t row(int k) const {
        return first_row + (empty_offsets ? static_cast<std::int64_t>(empty_offsets[k]) : k);
    }
};

/// Pointers into a content's arrays.
template <class T>
struct csr5_view {
    std::int64_t row_count;
    std::int64_t column_count;
    std::int64_t entry_count;
    csr5_layout layout;
    std::int64_t const* row_offsets;
    std::uint32_t const* tile_pointers;         // tile_count() + 1
    std::uint32_t const* tile_descriptors;      // of full tiles
    std::int64_t const* empty_offset_pointers;  // of full tiles, and the end; null where no tile has a sign
    std::uint32_t const* empty_offsets;
    std::int32_t const* column_indices;
    T const* values;

    COPSE_HOST_DEVICE std::int64_t full_tiles() const { return entry_count / layout.size(); }
    COPSE_HOST_DEVICE std::int64_t tile_count() const { return (entry_count + layout.size() - 1) / layout.size(); }
    /// The row of the tile's first entry; for tile_count(), row_count (2^31 - 1 for 2^31 rows).
    COPSE_HOST_DEVICE std::int64_t first_row(std::int64_t tile) const { return tile_pointers[tile] & ~csr5_sign; }
    COPSE_HOST_DEVICE bool has_empty_rows(std::int64_t tile) const { return (tile_pointers[tile] & csr5_sign) != 0; }
    COPSE_HOST_DEVICE std::uint32_t const* descriptor(std::int64_t tile) const {
        return tile_descriptors + tile * layout.descriptor_words();
    }
    /// Of a full tile.
    COPSE_HOST_DEVICE csr5_segments segments(std::int64_t tile) const {
        return {first_row(tile), has_empty_rows(tile) ? empty_offsets + empty_offset_pointers[tile] : nullptr};
    }
};

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
