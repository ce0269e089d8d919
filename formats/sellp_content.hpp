// The arrays of a SELL-P matrix, and how they are made from compressed rows on the host. What they mean: sellp_view.hpp.
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/padding_limit.hpp>
#include <copse/formats/sellp_view.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <memory>
#include <optional>

namespace copse {

struct sellp_options {
    /// b and t, powers of two from 1 to 128. 0: by the executor; on a GPU b * t is a warp, on a CPU b is a vector.
    int slice_rows = 0;
    int row_threads = 0;
    /// SELL-C-sigma: rows are sorted by length within each stretch of so many rows. 1: they stay in order.
    std::int64_t sorting_window = 1;
    /// What padding may take. Without: as many bytes as the entries, but at least a megabyte.
    std::optional<std::int64_t> most_padding_bytes;
};

/// Never changed once it is there.
template <class T>
struct sellp_content {
    std::int64_t row_count = 0;  // as stored
    std::int64_t column_count = 0;
    std::int64_t entry_count = 0;
    std::int64_t slice_count = 0;
    std::int64_t stored_count = 0;  // entries and padding
    int slice_rows = 0;             // b
    int row_threads = 0;            // t
    std::int64_t sorting_window = 1;
    buffer<std::int64_t> slice_offsets;
    buffer<std::int32_t> column_indices;
    buffer<T> values;
    buffer<std::int32_t> rows;  // empty where rows stay in order

    std::int64_t bytes() const noexcept;
    sellp_view<T> view() const noexcept;
};

namespace detail {

/// Parallel (OpenMP); any number of threads gives the same arrays. Row lengths of `a` in its order of rows; b, t > 0.
/// Throws argument_error for b, t or a window out of range, too_much_padding before entries take memory, std::bad_alloc,
/// cuda_error.
template <class T>
sellp_content<T> make_sellp(std::shared_ptr<memory> const& where, csr<T> const& a, sellp_options const& options);

/// What it was made from. `content` in host memory. Parallel (OpenMP).
template <class T>
csr<T> rows_of(sellp_content<T> const& content);

}  // namespace detail
}  // namespace copse
