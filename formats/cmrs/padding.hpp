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

/// Cuts them into pieces: emit(row, place, count, left), places counted from the strip's beginning, `left` with these
/// `count`. Returns the strip's places. Each chunk takes from the longest rows first, so that short ones are left for
/// the gaps at the end.
template <class Emit>
COPSE_HOST_DEVICE std::int64_t cut_into_chunks(strip_rows rows, int per_row, Emit emit) {
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
    return chunk * cmrs_chunk;
}

/// Its words and values, but those of places without an entry.
template <class T>
COPSE_HOST_DEVICE void fill_padded_strip(strip_shape const& shape, csr_matrix_view<T> const& from, int per_row,
                                         std::int64_t strip, std::int64_t begin, strip_entries<T> places) {
    std::int64_t const first_row = strip * shape.height;
    cut_into_chunks(rows_of_strip(shape, from.row_offsets, strip), per_row,
                    [&](int row, std::int64_t place, int count, std::uint32_t left) {
                        std::int64_t const entry = from.row_offsets[first_row + row + 1] - left;
                        for (int k = 0; k < count; ++k) {
                            auto const column = static_cast<std::uint32_t>(from.column_indices[entry + k]);
                            std::uint32_t const word = column << shape.row_bits | static_cast<std::uint32_t>(row);
                            places.columns_or_words[begin + place + k] = static_cast<std::int32_t>(word);
                            places.values[begin + place + k] = from.values[entry + k];
                        }
                    });
}

/// strip_offsets[0 .. strip_count], multiples of 32: a strip's places. Parallel (OpenMP), as all here.
void count_padded_places(strip_shape const& shape, std::int64_t const* row_offsets, int per_row,
                         std::int64_t* strip_offsets);

/// Words and values of every place, from rows as in CSR; where there is no entry the word is `padding` and the value 0.
template <class T>
void fill_padded_places(strip_shape const& shape, csr_matrix_view<T> const& from, int per_row,
                        std::int64_t const* strip_offsets, strip_entries<T> places);

/// The inverse: row_offsets[0 .. row_count] first, which says how long the other arrays must be; then these.
void count_padded_rows(strip_shape const& shape, std::int64_t const* strip_offsets, std::int32_t const* words,
                       std::int64_t* row_offsets);
template <class T>
void take_padded_rows(strip_shape const& shape, std::int64_t const* strip_offsets, std::int32_t const* words,
                      T const* place_values, std::int64_t const* row_offsets, std::int32_t* columns, T* values);

}  // namespace copse::detail
