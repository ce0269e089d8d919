// The conversion from compressed rows to CSR5, and back, as steps over tiles, rows and entries: what a GPU does, and a
// host can do for a test. csr5/conversion.cpp has the host's own, which walks instead of searching.
//
//   1. pointers        each tile: a search for the row of its first entry
//   2. flags           each row: a bit where its first entry is; the tail's sign
//   3. descriptors     each tile, from its flags; whether it has rows without entries
//   4. empty offsets   each tile with a sign: a search for each of its segments
//   5. entries         each tile: its values and column indices, transposed in place
#pragma once

#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix/steps.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstddef>
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
    csr5_tiles_view a;  // with pointers
    std::uint32_t* flags;
    std::uint32_t* has_empty_rows;
    COPSE_HOST_DEVICE void operator()(std::int64_t row) const {
        std::int64_t const entry = a.row_offsets[row];
        if (entry < a.row_offsets[row + 1]) {
            set_bits_for_all(flags + (entry >> 5), std::uint32_t{1} << (entry & 31));
            return;
        }
        *has_empty_rows = 1;  // all that write it write the same
        // The tail has no descriptor, and no other step that would give it its sign.
        std::int64_t const full = a.entry_count / a.layout.size();
        if (full < a.tile_count && row > a.first_row(full)) set_bits_for_all(a.pointers + full, csr5_sign);
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

/// Tile by tile: seen as rows x columns elements, transposed where it is. The lanes of a group take a tile into their
/// memory and write it back in the other order.
template <class Value>
struct transpose_in_place {
    int rows;
    int columns;
    Value* values;

    /// That a group needs.
    std::size_t memory_bytes() const { return static_cast<std::size_t>(rows * pitch()) * sizeof(Value); }

    template <class Group>
    COPSE_HOST_DEVICE void operator()(std::int64_t tile, Group const& group) const {
        int const size = rows * columns;
        Value* const own = values + tile * size;
        auto* const staged = group.template memory<Value>();
        for (int k = group.rank(); k < size; k += group.size()) staged[k / columns * pitch() + k % columns] = own[k];
        group.sync();
        for (int k = group.rank(); k < size; k += group.size()) own[k] = staged[k % rows * pitch() + k / rows];
    }

  private:
    /// Odd: lanes that go down a column meet in no bank.
    COPSE_HOST_DEVICE int pitch() const { return columns | 1; }
};

/// `content`: layout, sizes and row_offsets are there; the pointers, descriptors and offsets are made.
/// primitives: csr_matrix/steps.hpp.
template <class T, class Primitives>
void make_tiles_by_steps(csr5_content<T>& content, Primitives& primitives) {
    auto const& where = content.where;
    std::int64_t const full = content.view().full_tiles(), tiles = content.view().tile_count();
    content.tile_pointers = {where, tiles + 1};
    content.tile_descriptors = {where, full * content.layout.descriptor_words()};
    std::int64_t const flag_words = content.entry_count / 32 + 2;  // the last tile's bits are read two words at a time
    auto const& temporary = primitives.temporary();
    buffer<std::uint32_t> const flags(temporary, flag_words + 1);  // and whether there are rows without entries
    buffer<std::int64_t> const empty_pointers(temporary, full + 1);
    primitives.zero(flags.data(), flag_words + 1);
    primitives.zero(empty_pointers.data(), full + 1);

    csr5_tiles_view const a{content.layout, content.row_count,          content.entry_count,
                            tiles,          content.row_offsets.data(), content.tile_pointers.data(),
                            flags.data()};
    primitives.for_each(tiles + 1, find_pointer{a});
    primitives.for_each(content.row_count, flag_row{a, flags.data(), flags.data() + flag_words});
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
    content.empty_offset_pointers = {where, full + 1};
    primitives.copy(content.empty_offset_pointers.data(), empty_pointers.data(), full + 1);
    primitives.for_each(full, find_empty_offsets{a, empty_pointers.data(), content.empty_offsets.data()});
}

/// The entries from the order of rows to that of tiles (CSR5 §3.3), in place: nothing but a tile is ever held twice.
template <class Value, class Primitives>
void to_tiles_by_steps(csr5_layout const& layout, buffer<Value>& values, Primitives& primitives) {
    transpose_in_place<Value> const turn{layout.omega, layout.sigma, values.data()};
    primitives.for_each_by_group(values.size() / layout.size(), turn.memory_bytes(), turn);
}
/// And back.
template <class Value, class Primitives>
void from_tiles_by_steps(csr5_layout const& layout, buffer<Value>& values, Primitives& primitives) {
    transpose_in_place<Value> const turn{layout.sigma, layout.omega, values.data()};
    primitives.for_each_by_group(values.size() / layout.size(), turn.memory_bytes(), turn);
}

/// With the arrays of `rows`, which nobody else shares.
template <class T, class Primitives>
std::shared_ptr<csr5_content<T> const> make_csr5_by_steps(csr_content<T>&& rows, csr5_options const& given,
                                                          Primitives& primitives) {
    auto content = std::make_shared<csr5_content<T>>();
    static_cast<flat_content&>(*content) = rows;
    set_layout(*content, given, true);
    content->row_offsets = std::move(rows.row_offsets);
    content->column_indices = std::move(rows.column_indices);
    content->values = std::move(rows.values);
    make_tiles_by_steps(*content, primitives);
    to_tiles_by_steps(content->layout, content->column_indices, primitives);
    to_tiles_by_steps(content->layout, content->values, primitives);
    primitives.wait();
    return content;
}

/// `rows`: in the memory `where`; with their arrays if nobody else shares them.
template <class T, class Primitives>
std::shared_ptr<csr5_content<T> const> content_on(std::shared_ptr<memory> const&, csr_matrix<T> const& rows,
                                                  csr5_options const& options, Primitives& primitives) {
    auto const& stored = rows.content();
    if (is_sole(stored)) return make_csr5_by_steps(taken(stored), options, primitives);
    return make_csr5_by_steps(copied(*stored, primitives), options, primitives);
}

template <class Value>
struct take_from_tile {
    csr5_layout layout;
    std::int64_t tiled;  // entries in full tiles
    Value const* from;
    Value* to;
    COPSE_HOST_DEVICE void operator()(std::int64_t entry) const {
        int const in_tile = static_cast<int>(entry % layout.size());
        to[entry] = from[entry < tiled ? entry - in_tile + place_in_tile(layout, in_tile) : entry];
    }
};

template <class T, class Primitives>
std::shared_ptr<csr_content<T> const> rows_by_steps(csr5_content<T> const& a, Primitives& primitives) {
    auto rows = make_rows_by_steps<T>(a, primitives);
    std::int64_t const tiled = a.entry_count / a.layout.size() * a.layout.size();
    primitives.copy(rows->row_offsets.data(), a.row_offsets.data(), a.row_count + 1);
    primitives.for_each(a.entry_count, take_from_tile<std::int32_t>{a.layout, tiled, a.column_indices.data(),
                                                                    rows->column_indices.data()});
    primitives.for_each(a.entry_count, take_from_tile<T>{a.layout, tiled, a.values.data(), rows->values.data()});
    choose_kernel_by_steps(*rows, primitives);
    return rows;
}

/// With the arrays of `a`, which nobody else shares.
template <class T, class Primitives>
std::shared_ptr<csr_content<T> const> rows_in_place_by_steps(csr5_content<T>&& a, Primitives& primitives) {
    auto rows = std::make_shared<csr_content<T>>();
    static_cast<flat_content&>(*rows) = a;
    rows->row_offsets = std::move(a.row_offsets);
    rows->column_indices = std::move(a.column_indices);
    rows->values = std::move(a.values);
    from_tiles_by_steps(a.layout, rows->column_indices, primitives);
    from_tiles_by_steps(a.layout, rows->values, primitives);
    choose_kernel_by_steps(*rows, primitives);  // waits
    a.tile_pointers.release_unused();
    a.tile_descriptors.release_unused();
    a.empty_offset_pointers.release_unused();
    a.empty_offsets.release_unused();
    return rows;
}

}  // namespace copse::detail
