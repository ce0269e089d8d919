// The conversion from compressed rows to CMRS, and back, as steps over strips and entries: what a GPU does, and a host
// can do for a test. cmrs/strips.hpp and cmrs/padding.hpp have the host's own.
//
//   in place:
//   1. offsets    each strip: that of its first row
//   2. words      each entry: a search for its row
//   3. order      keys of entries, by strip and word; a stable sort (where strips are to be sorted)
//
//   padded:
//   1. places     each strip: cut into chunks; the sums of those before
//   2. tails      each place: an entry of the row that alone is left at the strip's end, or padding
//   3. entries    each strip: cut again, its other entries to their places
//
//   back: each place to its row, in the order in which the row's entries are stored
#pragma once

#include <algorithm>
#include <bit>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/cmrs/padding.hpp>
#include <copse/formats/csr_matrix/steps.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <cstdint>
#include <memory>
#include <utility>

namespace copse::detail {

struct take_offset {
    strip_shape shape;
    std::int64_t const* row_offsets;
    std::int64_t* strip_offsets;
    COPSE_HOST_DEVICE void operator()(std::int64_t strip) const {
        std::int64_t const row = strip * shape.height;
        strip_offsets[strip] = row_offsets[row < shape.row_count ? row : shape.row_count];
    }
};

struct pack_word {
    strip_shape shape;
    std::int64_t const* row_offsets;
    std::int32_t* columns_or_words;
    COPSE_HOST_DEVICE void operator()(std::int64_t entry) const {
        auto const row =
            static_cast<std::uint32_t>(row_of_entry(row_offsets, 0, shape.row_count - 1, entry) % shape.height);
        auto const column = static_cast<std::uint32_t>(columns_or_words[entry]);
        columns_or_words[entry] = static_cast<std::int32_t>(column << shape.row_bits | row);
    }
};

struct key_entry {
    std::int64_t const* strip_offsets;
    std::int64_t strip_count;
    int word_bits;  // that words of these columns have: fewer bits are fewer passes of the sort
    std::int32_t const* words;
    std::uint64_t* keys;
    COPSE_HOST_DEVICE void operator()(std::int64_t entry) const {
        auto const strip = static_cast<std::uint64_t>(row_of_entry(strip_offsets, 0, strip_count - 1, entry));
        keys[entry] = strip << word_bits | static_cast<std::uint32_t>(words[entry]);
    }
};

struct take_cmrs_word {
    std::uint64_t const* keys;
    int word_bits;
    std::int32_t* words;
    COPSE_HOST_DEVICE void operator()(std::int64_t entry) const {
        std::uint64_t const word = keys[entry] & ((std::uint64_t{1} << word_bits) - 1);
        words[entry] = static_cast<std::int32_t>(static_cast<std::uint32_t>(word));
    }
};

/// With the arrays of `rows`, which nobody else shares; without padding. Sorting takes memory for two keys and a value
/// beside each entry. primitives: csr_matrix/steps.hpp. Throws argument_error.
template <class T, class Primitives>
std::shared_ptr<cmrs_content<T> const> make_cmrs_by_steps(csr_content<T>&& rows, cmrs_options const& options,
                                                          Primitives& primitives) {
    auto c = std::make_shared<cmrs_content<T>>();
    set_shape(*c, rows, options);
    c->strip_offsets = {c->where, c->strip_count + 1};
    c->stored_count = c->entry_count;
    c->words = std::move(rows.column_indices);
    c->values = std::move(rows.values);
    auto const* const row_offsets = rows.row_offsets.data();
    primitives.for_each(c->strip_count + 1, take_offset{c->shape(), row_offsets, c->strip_offsets.data()});
    primitives.for_each(c->entry_count, pack_word{c->shape(), row_offsets, c->words.data()});
    if (options.sorted.value_or(false) && c->entry_count > 0) {
        buffer<std::uint64_t> keys(primitives.temporary(), c->entry_count);
        int const word_bits =
            c->row_bits + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(c->column_count - 1)));
        auto const strip_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(c->strip_count - 1)));
        primitives.for_each(c->entry_count, key_entry{c->strip_offsets.data(), c->strip_count, word_bits,
                                                      c->words.data(), keys.data()});
        primitives.sort_pairs(keys, c->values, 0, std::max(1, strip_bits + word_bits));
        primitives.for_each(c->entry_count, take_cmrs_word{keys.data(), word_bits, c->words.data()});
    }
    primitives.wait();
    rows.row_offsets.release_unused();
    return c;
}

/// Of a strip behind the last one: 0.
struct count_chunks {
    strip_shape shape;
    std::int64_t const* row_offsets;
    int per_row;
    std::int64_t* places;
    strip_tail* tails;
    COPSE_HOST_DEVICE void operator()(std::int64_t strip) const {
        strip_cut const cut = cut_into_chunks(rows_of_strip(shape, row_offsets, strip), per_row,
                                              [](int, std::int64_t, int, std::uint32_t) {});
        places[strip] = cut.places;
        tails[strip] = cut.tail;
    }
};

template <class T>
struct fill_tails {
    padded_from<T> from;
    std::int64_t const* strip_offsets;
    std::int64_t strip_count;
    strip_tail const* tails;
    strip_entries<T> places;
    COPSE_HOST_DEVICE void operator()(std::int64_t place) const {
        std::int64_t const strip = row_of_entry(strip_offsets, 0, strip_count - 1, place);
        fill_or_clear_place(from, strip, tails[strip], strip_offsets[strip], place - strip_offsets[strip], places);
    }
};

template <class T>
struct fill_before_tails {
    padded_from<T> from;
    std::int64_t const* strip_offsets;
    strip_entries<T> places;
    COPSE_HOST_DEVICE void operator()(std::int64_t strip) const {
        fill_before_tail(from, strip, strip_offsets[strip], places);
    }
};

/// The padded form in the memory `where`, from rows in the same space. Throws argument_error, too_much_padding before
/// entries take memory.
template <class T, class Primitives>
std::shared_ptr<cmrs_content<T> const> make_padded_cmrs_by_steps(std::shared_ptr<memory> const& where,
                                                                 csr_content<T> const& rows,
                                                                 cmrs_options const& options, Primitives& primitives) {
    auto c = std::make_shared<cmrs_content<T>>();
    set_shape(*c, rows, options);
    c->where = where;
    c->strip_offsets = {c->where, c->strip_count + 1};
    auto* const offsets = c->strip_offsets.data();
    buffer<strip_tail> const tails(primitives.temporary(), c->strip_count + 1);
    primitives.for_each(c->strip_count + 1,
                        count_chunks{c->shape(), rows.row_offsets.data(), options.per_row, offsets, tails.data()});
    primitives.sum_before(offsets, c->strip_count + 1);
    c->strip_offsets.read(c->strip_count, {&c->stored_count, 1});
    check_padding(*c);
    c->words = {c->where, c->stored_count};
    c->values = {c->where, c->stored_count};
    strip_entries<T> const places{c->words.data(), c->values.data()};
    padded_from<T> const from{c->shape(), rows.view(), options.per_row};
    primitives.for_each(c->stored_count, fill_tails<T>{from, offsets, c->strip_count, tails.data(), places});
    primitives.for_each(c->strip_count, fill_before_tails<T>{from, offsets, places});
    primitives.wait();
    return c;
}

/// The strips of rows in the memory `where`, or in temporary memory where `given` asks for padding: with the arrays of
/// their entries if nobody else shares these, and there is to be no padding.
template <class T, class Primitives>
std::shared_ptr<cmrs_content<T> const> content_on(std::shared_ptr<memory> const& where, csr_matrix<T> const& rows,
                                                  cmrs_options const& given, Primitives& primitives) {
    cmrs_options const options = with_defaults<T>(given, true);
    auto const& content = rows.content();
    if (options.per_row > 0) return make_padded_cmrs_by_steps(where, *content, options, primitives);
    if (is_sole(content)) return make_cmrs_by_steps(taken(content), options, primitives);
    return make_cmrs_by_steps(copied(*content, primitives), options, primitives);
}

/// Where the place's entry goes: row << 32 | column. Places without an entry come behind all rows.
template <class T>
struct key_place {
    cmrs_view<T> a;
    std::uint64_t* keys;
    COPSE_HOST_DEVICE void operator()(std::int64_t place) const {
        std::uint32_t const word = a.words[place];
        std::int64_t row = a.row_count;
        if (a.per_row == 0 || word != a.padding)
            row = a.first_row(row_of_entry(a.strip_offsets, 0, a.strip_count - 1, place)) + a.row_of(word);
        keys[place] = static_cast<std::uint64_t>(row) << 32 | a.column_of(word);
    }
};

/// The first key of each row; behind the last row that of the padding.
struct find_row {
    std::uint64_t const* keys;
    std::int64_t key_count;
    std::int64_t* row_offsets;
    COPSE_HOST_DEVICE void operator()(std::int64_t row) const {
        std::int64_t first = 0, last = key_count;
        while (first < last) {
            std::int64_t const middle = first + (last - first) / 2;
            if (static_cast<std::int64_t>(keys[middle] >> 32) < row)
                first = middle + 1;
            else
                last = middle;
        }
        row_offsets[row] = first;
    }
};

/// The same from words, in a strip whose rows lie one after the other.
template <class T>
struct find_row_in_strip {
    cmrs_view<T> a;
    std::int64_t* row_offsets;
    COPSE_HOST_DEVICE void operator()(std::int64_t row) const {
        std::int64_t const strip = row < a.row_count ? row / a.height : a.strip_count;
        std::int64_t first = a.strip_offsets[strip];
        std::int64_t last = row < a.row_count ? a.strip_offsets[strip + 1] : first;
        while (first < last) {
            std::int64_t const middle = first + (last - first) / 2;
            if (a.row_of(a.words[middle]) < row - a.first_row(strip))
                first = middle + 1;
            else
                last = middle;
        }
        row_offsets[row] = first;
    }
};

struct unpack_word {
    int row_bits;
    std::int32_t* words_or_columns;
    COPSE_HOST_DEVICE void operator()(std::int64_t entry) const {
        auto const word = static_cast<std::uint32_t>(words_or_columns[entry]);
        words_or_columns[entry] = static_cast<std::int32_t>(word >> row_bits);
    }
};

struct take_column {
    std::uint64_t const* keys;
    std::int32_t* columns;
    COPSE_HOST_DEVICE void operator()(std::int64_t entry) const {
        columns[entry] = static_cast<std::int32_t>(static_cast<std::uint32_t>(keys[entry]));
    }
};

/// Sorts by row, and keeps a row's entries in the order in which they are stored; strips that are not sorted have their
/// rows one after the other. Takes memory for two keys and two values beside each place.
template <class T, class Primitives>
std::shared_ptr<csr_content<T> const> rows_by_steps(cmrs_content<T> const& a, Primitives& primitives) {
    auto rows = make_rows_by_steps<T>(a, primitives);
    bool const by_row = a.has_arrays_of_rows();
    buffer<std::uint64_t> keys(primitives.temporary(), a.stored_count);
    buffer<T> values(primitives.temporary(), by_row ? 0 : a.stored_count);
    primitives.for_each(a.stored_count, key_place<T>{a.view(), keys.data()});
    if (!by_row && a.stored_count > 0) {
        primitives.copy(values.data(), a.values.data(), a.stored_count);
        int const row_bits = static_cast<int>(bit_width(static_cast<std::uint64_t>(a.row_count)));
        primitives.sort_pairs(keys, values, 32, 32 + row_bits);
    }
    primitives.for_each(a.row_count + 1, find_row{keys.data(), a.stored_count, rows->row_offsets.data()});
    primitives.for_each(a.entry_count, take_column{keys.data(), rows->column_indices.data()});
    primitives.copy(rows->values.data(), by_row ? a.values.data() : values.data(), a.entry_count);
    choose_kernel_by_steps(*rows, primitives);
    return rows;
}

/// With the arrays of `a`, which nobody else shares and whose strips have their rows one after the other.
template <class T, class Primitives>
std::shared_ptr<csr_content<T> const> rows_in_place_by_steps(cmrs_content<T>&& a, Primitives& primitives) {
    auto rows = std::make_shared<csr_content<T>>();
    static_cast<flat_content&>(*rows) = a;
    rows->row_offsets = {a.where, a.row_count + 1};
    primitives.for_each(a.row_count + 1, find_row_in_strip<T>{a.view(), rows->row_offsets.data()});
    primitives.for_each(a.entry_count, unpack_word{a.row_bits, a.words.data()});
    rows->column_indices = std::move(a.words);
    rows->values = std::move(a.values);
    choose_kernel_by_steps(*rows, primitives);  // waits
    a.strip_offsets.release_unused();
    return rows;
}

}  // namespace copse::detail
