// The arrays of a SELL-P matrix, and how they are made from compressed rows on the host. What they mean: sellp/layout.hpp.
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/formats/padding_limit.hpp>
#include <copse/formats/sellp/layout.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <memory>
#include <optional>

namespace copse {

struct sellp_options {
    /// b and t, powers of two from 1 to 128. 0: by the executor: on a GPU b * t = 32, on a CPU b is four vectors
    /// of rows.
    int slice_rows = 0;
    int row_threads = 0;
    /// SELL-C-sigma: rows are sorted by length within each stretch of so many rows. 1: they stay in order.
    std::int64_t sorting_window = 1;
    /// What padding may take. Without: as many bytes as the entries, but at least a megabyte.
    std::optional<std::int64_t> most_padding_bytes = {};
};

/// Never changed once it is there.
template <class T>
struct sellp_content : flat_content {
    std::int64_t slice_count = 0;
    std::int64_t stored_count = 0;  // entries and padding
    sellp_options options;          // with b and t
    buffer<std::int64_t> slice_offsets;
    buffer<std::int32_t> column_indices;
    buffer<T> values;
    buffer<std::int32_t> rows;  // empty where rows stay in order

    std::int64_t bytes() const noexcept {
        return static_cast<std::int64_t>(slice_offsets.bytes() + column_indices.bytes() + values.bytes() +
                                         rows.bytes());
    }
    sellp_view<T> view() const noexcept {
        return {slice_offsets.data(), column_indices.data(), values.data(),     rows.data(), row_count,
                column_count,         slice_count,           options.slice_rows};
    }

    /// Of a 0 x 0 matrix in host memory, the same one every time.
    static std::shared_ptr<sellp_content const> const& empty();
};

namespace detail {

/// Throws argument_error for b, t or a window out of range.
void check_options(sellp_options const& options);
/// `a`: with its number of places. Throws too_much_padding.
template <class T>
void check_padding(sellp_content<T> const& a);

/// In the memory `where`. Parallel (OpenMP); any number of threads gives the same arrays. Throws shape_error where `a`
/// breaks csr's contract, argument_error for b, t or a window out of range, too_much_padding before entries take memory,
/// std::bad_alloc, cuda_error.
template <class T>
std::shared_ptr<sellp_content<T> const> make_sellp(std::shared_ptr<memory> const& where, csr<T> const& a,
                                                   sellp_options const& options);

/// What it was made from. Works for content in any memory. Parallel (OpenMP). Throws std::bad_alloc, cuda_error.
template <class T>
csr<T> rows_of(sellp_content<T> const& content);

}  // namespace detail
}  // namespace copse
