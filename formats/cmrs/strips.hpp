// From compressed rows to strips and back, in place: a strip's entries stay where its rows had them.
//
//   row_offsets      0 2 4 6 9 10      --every height-th-->   strip_offsets  0 4 9 10
//   column_indices   0 3 1 4 ...       --pack-->              words          0<<4|0  3<<4|0  1<<4|1  4<<4|1 ...
//
// Beside the arrays each thread takes memory for one strip, where entries change places. koza et al. §3, §4.
#pragma once

#include <cstdint>

namespace copse::detail {

/// Bits of a word that hold the row: min(4, 32 - bits of a column). In the padded form one column more must fit, which
/// means padding.
int cmrs_row_bits(std::int64_t column_count, bool padded) noexcept;

/// Rows in strips; arrays as in CSR.
struct strip_shape {
    std::int64_t row_count;
    int height;
    int row_bits;

    std::int64_t strip_count() const noexcept { return (row_count + height - 1) / height; }
};

/// The arrays of entries, which change their meaning in place.
template <class T>
struct strip_entries {
    std::int32_t* columns_or_words;
    T* values;
};

/// Strips that a thread takes at a time.
inline constexpr std::int64_t strips_at_once = 256;

/// strip_offsets[0 .. strip_count]. Parallel, as all here.
void make_strip_offsets(strip_shape const& shape, std::int64_t const* row_offsets, std::int64_t* strip_offsets);

/// Column indices become words; `sorted`: each strip's entries are put in order of columns, those of one column in
/// order of rows. Throws std::bad_alloc, and then leaves the arrays undefined.
template <class T>
void pack_strips(strip_shape const& shape, std::int64_t const* row_offsets, bool sorted, strip_entries<T> entries);

/// The inverse: words become column indices, row by row, and row_offsets[0 .. row_count] are filled in. Columns ascend
/// within each row. Throws std::bad_alloc, and then leaves the arrays undefined.
template <class T>
void unpack_strips(strip_shape const& shape, std::int64_t const* strip_offsets, strip_entries<T> entries,
                   std::int64_t* row_offsets);

}  // namespace copse::detail
