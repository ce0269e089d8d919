// The conversion from compressed rows to CSR5 as steps over tiles, rows and entries: what a GPU does, and a host can do
// for a test. csr5.cpp has the host's own, which walks instead of searching.
//
//   1. pointers        each tile: a search for the row of its first entry
//   2. flags           each row: a bit where its first entry is
//   3. descriptors     each tile, from its flags; whether it has rows without entries
//   4. empty offsets   each tile with a sign: a search for each of its segments
//   5. entries         each place of a tile: the entry that belongs there
#pragma once

#include <copse/formats/csr5.hpp>
#include <copse/formats/csr5_conversion.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <memory>
#include <utility>

namespace copse::detail {

COPSE_HOST_DEVICE inline void set_bits_for_all(std::uint32_t* p, std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
    atomicOr(p, bits);
#else
    *p |= bits;
#endif
}

/// What the steps share; trivially copyable.
struct csr5_tiles_view {
    csr5_layout layout;
    std::int64_t row_count;
    std::int64_t entry_count;
    std::int64_t tile_count;
    std::int64_t const* row_offsets;
    std::uint32_t* pointers;
    std::uint32_t const* flags;

    COPSE_HOST_DEVICE std::int64_t first_row(std::int64_t tile) const {
        return tile == tile_count ? row_count : std::int64_t{pointers[tile] & ~csr5_sign};
    }
    COPSE_HOST_DEVICE entry_flags flags_of(std::int64_t tile) const { return {flags, tile * layout.size()}; }
};

struct find_pointer {
    csr5_tiles_view a;
    COPSE_HOST_DEVICE void operator()(std::int64_t tile) const {
        std::int64_t const entry = tile == a.tile_count ? a.entry_count : tile * a.layout.size();
        std::int64_t const row = row_of_entry(a.row_offsets, 0, a.row_count, entry);
        a.pointers[tile] = static_cast<std::uint32_t>(row < csr5_sign ? row : csr5_sign - 1);
    }
};

struct flag_row {
    std::int64_t const* row_offsets;
    std::uint32_t* flags;
    std::uint32_t* has_empty_rows;
    COPSE_HOST_DEVICE void operator()(std::int64_t row) const {
        std::int64_t const entry = row_offsets[row];
        if (entry < row_offsets[row + 1])
            set_bits_for_all(flags + (entry >> 5), std::uint32_t{1} << (entry & 31));
        else
            *has_empty_rows = 1;  // all that write it write the same
    }
};

struct describe {
    csr5_tiles_view a;
    std::uint32_t* descriptors;
    std::int64_t* empty_counts;  // offsets that the tile needs
    COPSE_HOST_DEVICE void operator()(std::int64_t tile) const {
        int const trues = describe_tile(a.layout, a.flags_of(tile), descriptors + tile * a.layout.descriptor_words());
        std::int64_t const next = a.first_row(tile + 1);
        bool const next_starts = a.row_offsets[next] == (tile + 1) * a.layout.size();
        bool const has_empty = tile_has_empty_rows(a.first_row(tile), next, trues - 1, next_starts);
        empty_counts[tile] = has_empty ? trues : 0;
    }
};

struct set_sign {
    csr5_tiles_view a;
    std::int64_t const* empty_pointers;
    COPSE_HOST_DEVICE void operator()(std::int64_t tile) const {
        if (empty_pointers[tile] < empty_pointers[tile + 1]) a.pointers[tile] |= csr5_sign;
    }
};

/// CSR5 algorithm 7.
struct find_empty_offsets {
    csr5_tiles_view a;
    std::int64_t const* empty_pointers;
    std::uint32_t* empty_offsets;
    COPSE_HOST_DEVICE void operator()(std::int64_t tile) const {
        std::uint32_t* to = empty_offsets + empty_pointers[tile];
        if (empty_pointers[tile] == empty_pointers[tile + 1]) return;
        std::int64_t const first = a.first_row(tile), last = a.first_row(tile + 1);
        for (int k = 0; k < a.layout.size(); ++k) {
            if (k > 0 && a.flags_of(tile).bits(k, 1) == 0) continue;
            std::int64_t const entry = tile * a.layout.size() + k;
            *to++ = static_cast<std::uint32_t>(row_of_entry(a.row_offsets, first, last, entry) - first);
        }
    }
};

template <class Value>
struct place_entry {
    csr5_layout layout;
    std::int64_t tiled;  // entries in full tiles
    Value const* from;
    Value* to;
    COPSE_HOST_DEVICE void operator()(std::int64_t place) const {
        int const in_tile = static_cast<int>(place % layout.size());
        int const entry = in_tile % layout.omega * layout.sigma + in_tile / layout.omega;
        to[place] = from[place < tiled ? place - in_tile + entry : place];
    }
};

/// `content`: layout, sizes and row_offsets are there; the pointers, descriptors and offsets are made.
/// primitives.for_each(count, f), primitives.zero(p, count), primitives.sum_before(p, count): p[i] <- sum of p[0 .. i).
template <class T, class Primitives>
void make_tiles_by_steps(csr5_content<T>& content, Primitives& primitives) {
    auto const& where = content.where;
    std::int64_t const full = content.view().full_tiles(), tiles = content.view().tile_count();
    content.tile_pointers = {where, tiles + 1};
    content.tile_descriptors = {where, full * content.layout.descriptor_words()};
    std::int64_t const flag_words = content.entry_count / 32 + 2;  // the last tile's bits are read two words at a time
    buffer<std::uint32_t> const flags(where, flag_words + 1);      // and whether there are rows without entries
    buffer<std::int64_t> empty_pointers(where, full + 1);
    primitives.zero(flags.data(), flag_words + 1);
    primitives.zero(empty_pointers.data(), full + 1);

    csr5_tiles_view const a{content.layout, content.row_count,          content.entry_count,
                            tiles,          content.row_offsets.data(), content.tile_pointers.data(),
                            flags.data()};
    primitives.for_each(tiles + 1, find_pointer{a});
    primitives.for_each(content.row_count, flag_row{a.row_offsets, flags.data(), flags.data() + flag_words});
    primitives.for_each(full, describe{a, content.tile_descriptors.data(), empty_pointers.data()});
    primitives.sum_before(empty_pointers.data(), full + 1);
    primitives.for_each(full, set_sign{a, empty_pointers.data()});

    std::uint32_t has_empty_rows = 0;
    flags.read(flag_words, {&has_empty_rows, 1});
    content.has_empty_rows = has_empty_rows != 0;
    std::int64_t total = 0;
    empty_pointers.read(full, {&total, 1});
    if (total == 0) return;
    content.empty_offsets = {where, total};
    primitives.for_each(full, find_empty_offsets{a, empty_pointers.data(), content.empty_offsets.data()});
    content.empty_offset_pointers = std::move(empty_pointers);
}

/// The entries in the order of tiles; `from` is given up.
template <class Value, class Primitives>
buffer<Value> in_tiles_by_steps(csr5_layout const& layout, buffer<Value> from, Primitives& primitives) {
    buffer<Value> to(from.where(), from.size());
    std::int64_t const tiled = from.size() / layout.size() * layout.size();
    primitives.for_each(from.size(), place_entry<Value>{layout, tiled, from.data(), to.data()});
    primitives.wait();  // `from` is freed now
    return to;
}

}  // namespace copse::detail
