// The arrays of a CMRS matrix, and how they are made from compressed rows on the host. What they mean: cmrs_view.hpp.
#pragma once

#include <copse/formats/cmrs_view.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/padding_limit.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <memory>
#include <optional>

namespace copse {

struct cmrs_options {
    /// Rows of a strip, 1 to 16, less where columns need bits. 0: by the executor (§6.3).
    int height = 0;
    /// Entries of a strip in order of columns, so that lanes side by side read x side by side. Without: on a GPU. (A CPU
    /// reads them one by one: 0 to 10 % faster in cache.)
    std::optional<bool> sorted;
    /// M of §6.7, a power of two from 1 to 32: strips in chunks of 32 places, with at most M entries of a row in each.
    /// 0: no padding.
    int per_row = 0;
    /// What padding may take. Without: as many bytes as the entries, but at least a megabyte.
    std::optional<std::int64_t> most_padding_bytes;
};

/// Never changed once it is there.
template <class T>
struct cmrs_content {
    std::int64_t row_count = 0;  // as stored
    std::int64_t column_count = 0;
    std::int64_t entry_count = 0;
    std::int64_t strip_count = 0;
    std::int64_t stored_count = 0;  // entries and padding
    int height = 1;
    int row_bits = 0;
    int per_row = 0;
    bool sorted = false;
    buffer<std::int64_t> strip_offsets;
    buffer<std::int32_t> words;  // as the column indices that they are made from; the view's are unsigned
    buffer<T> values;

    std::int64_t bytes() const noexcept;
    cmrs_view<T> view() const noexcept;
};

namespace detail {

/// Parallel (OpenMP); any number of threads gives the same arrays. `options` with a height and `sorted`; a height that
/// the columns leave no bits for becomes the largest that they do.
/// Throws argument_error for a height or per_row out of range, too_much_padding before entries take memory,
/// std::bad_alloc, cuda_error.
template <class T>
cmrs_content<T> make_cmrs(std::shared_ptr<memory> const& where, csr<T> const& a, cmrs_options const& options);

/// What it was made from. `content` in host memory. Parallel (OpenMP).
template <class T>
csr<T> rows_of(cmrs_content<T> const& content);

}  // namespace detail
}  // namespace copse
