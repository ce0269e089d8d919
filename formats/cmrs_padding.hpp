// The padded form of a strip (Koza et al., §6.7): chunks of 32 places, in each at most `per_row` entries of a row, side by
// side. Lanes that want one row at once then differ modulo per_row, and per_row x height sums on chip do for a warp.
#pragma once

#include <copse/formats/cmrs_strips.hpp>
#include <cstdint>

namespace copse::detail {

/// strip_offsets[0 .. strip_count], multiples of 32: a strip's places. Parallel (OpenMP), as all here.
void count_padded_places(strip_shape const& shape, std::int64_t const* row_offsets, int per_row,
                         std::int64_t* strip_offsets);

/// Words and values of every place, from rows as in CSR; where there is no entry the word is `padding` and the value 0.
template <class T>
void fill_padded_places(strip_shape const& shape, std::int64_t const* row_offsets, std::int32_t const* columns,
                        T const* values, int per_row, std::int64_t const* strip_offsets, strip_entries<T> places);

/// The inverse: row_offsets[0 .. row_count] first, which says how long the other arrays must be; then these.
void count_padded_rows(strip_shape const& shape, std::int64_t const* strip_offsets, std::int32_t const* words,
                       std::int64_t* row_offsets);
template <class T>
void take_padded_rows(strip_shape const& shape, std::int64_t const* strip_offsets, std::int32_t const* words,
                      T const* place_values, std::int64_t const* row_offsets, std::int32_t* columns, T* values);

}  // namespace copse::detail
