// The padded form of a strip (Koza et al., §6.7): chunks of 32 places, in each at most `per_row` entries of a row,
// side by side. Lanes that want one row at once then differ modulo per_row, and per_row x height sums on chip do for a
// warp.
#pragma once

#include <copse/formats/cmrs.hpp>
#include <copse/formats/cmrs/strips.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// Entries of a strip's rows that are still to be placed. Every index is known when it is compiled: on a GPU they stay
/// in registers.
struct strip_rows {
    static constexpr int most = 16;
    std::uint32_t left[most];
};

/// All of the strip's; none of a strip behind the last one.
COPSE_HOST_DEVICE inline strip_rows rows_of_strip(strip_shape const& shape, std::int64_t const* row_offsets,
                                                  std::int64_t strip) {
    strip_rows rows;
    COPSE_UNROLL
    for (int i = 0; i < strip_rows::most; ++i) {
        std::int64_t const row = strip * shape.height + i;
        bool const is_there = i < shape.height && row < shape.row_count;
        rows.left[i] = is_there ? static_cast<std::uint32_t>(row_offsets[row + 1] - row_offsets[row]) : 0;
    }
    return rows;
}

/// The row that alone has entries left: from `place` on each chunk begins with up to per_row of its last `left` ones.
struct strip_tail {
    std::int64_t place;  // counted from the strip's beginning
    std::uint32_t left;
    int row;
};

struct strip_cut {
    std::int64_t places;  // of the strip
    strip_tail tail;
};

/// Cuts them into pieces, but for the tail: emit(row, place, count, left), places counted from the strip's beginning,
/// `left` with these `count`. Each chunk takes from the longest rows first, so that short ones are left for the gaps at
/// the end.
template <class Emit>
COPSE_HOST_DEVICE strip_cut cut_into_chunks(strip_rows rows, int per_row, Emit emit) {
    std::int64_t total = 0, chunk = 0;
    COPSE_UNROLL
    for (int i = 0; i < strip_rows::most; ++i) total += rows.left[i];
    for (; total > 0; ++chunk) {
        std::uint32_t taken = 0;
        for (int place = 0; place < cmrs_chunk;) {
            int longest = -1;
            std::uint32_t left = 0;
            COPSE_UNROLL
            for (int i = 0; i < strip_rows::most; ++i) {
                if ((taken >> i & 1) != 0 || rows.left[i] <= left) continue;
                longest = i;
                left = rows.left[i];
            }
            if (longest < 0) break;
            if (place == 0 && left == total) {
                std::int64_t const first = chunk * cmrs_chunk;
                return {first + (total + per_row - 1) / per_row * cmrs_chunk, {first, left, longest}};
            }
            int const room = cmrs_chunk - place, most = per_row < room ? per_row : room;
            int const count = left < static_cast<std::uint32_t>(most) ? static_cast<int>(left) : most;
            emit(longest, chunk * cmrs_chunk + place, count, left);
            taken |= 1u << longest;
            COPSE_UNROLL
            for (int i = 0; i < strip_rows::most; ++i)
                if (i == longest) rows.left[i] -= static_cast<std::uint32_t>(count);
            total -= count;
            place += count;
        }
    }
    return {chunk * cmrs_chunk, {}};
}

/// The arrays of rows, from which places are filled.
template <class T>
struct padded_from {
    strip_shape shape;
    csr_matrix_view<T> rows;
    int per_row;

    COPSE_HOST_DEVICE std::int64_t end_of(std::int64_t strip, int row) const {
        return rows.row_offsets[strip * shape.height + row + 1];
    }
    COPSE_HOST_DEVICE void put(int row, std::int64_t entry, strip_entries<T> places, std::int64_t place) const {
        auto const column = static_cast<std::uint32_t>(rows.column_indices[entry]);
        std::uint32_t const word = column << shape.row_bits | static_cast<std::uint32_t>(row);
        places.columns_or_words[place] = static_cast<std::int32_t>(word);
        places.values[place] = rows.values[entry];
    }
};

/// A strip's words and values, but those of its tail and of places without an entry; `begin`: its first place.
template <class T>
COPSE_HOST_DEVICE strip_tail fill_before_tail(padded_from<T> const& from, std::int64_t strip, std::int64_t begin,
                                              strip_entries<T> places) {
    return cut_into_chunks(rows_of_strip(from.shape, from.rows.row_offsets, strip), from.per_row,
                           [&](int row, std::int64_t place, int count, std::uint32_t left) {
                               std::int64_t const entry = from.end_of(strip, row) - left;
                               for (int k = 0; k < count; ++k) from.put(row, entry + k, places, begin + place + k);
                           })
        .tail;
}

/// The place `begin + at` of the strip: an entry of the tail, or nothing until fill_before_tail() has been there.
template <class T>
COPSE_HOST_DEVICE void fill_or_clear_place(padded_from<T> const& from, std::int64_t strip, strip_tail const& tail,
                                           std::int64_t begin, std::int64_t at, strip_entries<T> places) {
    std::int64_t const behind = at - tail.place, within = behind % cmrs_chunk,
                       which = behind / cmrs_chunk * from.per_row + within;
    if (behind >= 0 && within < from.per_row && which < tail.left) {
        from.put(tail.row, from.end_of(strip, tail.row) - tail.left + which, places, begin + at);
    } else {
        places.columns_or_words[begin + at] = static_cast<std::int32_t>(cmrs_view<T>::padding);
        places.values[begin + at] = T(0);
    }
}

/// strip_offsets[0 .. strip_count], multiples of 32: a strip's places. Parallel (OpenMP), as all here.
void count_padded_places(strip_shape const& shape, std::int64_t const* row_offsets, int per_row,
                         std::int64_t* strip_offsets);

/// Words and values of every place, from rows as in CSR; where there is no entry the word is `padding` and the value 0.
template <class T>
void fill_padded_places(padded_from<T> const& from, std::int64_t const* strip_offsets, strip_entries<T> places);

/// The inverse: row_offsets[0 .. row_count] first, which says how long the other arrays must be; then these.
void count_padded_rows(strip_shape const& shape, std::int64_t const* strip_offsets, std::int32_t const* words,
                       std::int64_t* row_offsets);
template <class T>
void take_padded_rows(strip_shape const& shape, std::int64_t const* strip_offsets, std::int32_t const* words,
                      T const* place_values, std::int64_t const* row_offsets, std::int32_t* columns, T* values);

}  // namespace copse::detail
