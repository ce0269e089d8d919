// The arrays of a CMRS matrix, and how they are made from compressed rows on the host. What they mean: cmrs/layout.hpp.
#pragma once

#include <copse/formats/cmrs/layout.hpp>
#include <copse/formats/cmrs/strips.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/formats/padding_limit.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <memory>
#include <optional>

namespace copse {

struct cmrs_options {
    /// Rows of a strip, 1 to 16, less where columns need bits. 0: by the executor (§6.3).
    int height = 0;
    /// Entries of a strip in order of columns, so that lanes side by side read x side by side. Without: on a GPU;
    /// a CPU gains 0 to 10 % (in cache), which the sort would cost many products.
    std::optional<bool> sorted = {};
    /// M of §6.7, a power of two from 1 to 32: strips in chunks of 32 places, with at most M entries of a row in each.
    /// 0: no padding.
    int per_row = 0;
    /// What padding may take. Without: as many bytes as the entries, but at least a megabyte.
    std::optional<std::int64_t> most_padding_bytes = {};
};

/// Never changed once it is there.
template <class T>
struct cmrs_content : flat_content {
    std::int64_t strip_count = 0;
    std::int64_t stored_count = 0;  // entries and padding
    cmrs_options options;           // with a height, which may be more than `height`, and an order
    int height = 1;
    int row_bits = 0;
    buffer<std::int64_t> strip_offsets;
    buffer<std::int32_t> words;  // in the place of column indices; the view's are unsigned
    buffer<T> values;

    std::int64_t bytes() const noexcept {
        return static_cast<std::int64_t>(strip_offsets.bytes() + words.bytes() + values.bytes());
    }
    cmrs_view<T> view() const noexcept {
        auto const* const unsigned_words = reinterpret_cast<std::uint32_t const*>(words.data());
        bool const aligned = entry_count >= 32 * row_count;  // §6.3
        return {strip_offsets.data(), unsigned_words, values.data(), row_count,       column_count,
                strip_count,          height,         row_bits,      options.per_row, aligned};
    }
    detail::strip_shape shape() const noexcept { return {row_count, height, row_bits}; }
    /// The rows of a strip lie one after the other, as in CSR.
    bool has_arrays_of_rows() const noexcept { return !options.sorted.value_or(false) && options.per_row == 0; }

    /// Of a 0 x 0 matrix in host memory, the same one every time.
    static std::shared_ptr<cmrs_content const> const& empty();
};

namespace detail {

/// What follows from A's shape and the options: all but the arrays and the number of places. Throws argument_error.
template <class T>
void set_shape(cmrs_content<T>& c, flat_content const& a, cmrs_options const& options);

/// Throws too_much_padding, for the number of places and the limit of `c`.
template <class T>
void check_padding(cmrs_content<T> const& c);

/// In the memory `where`; `options` with a height and an order. A height that the columns leave no bits for becomes the
/// largest that they do. Parallel; any number of threads gives the same arrays. Throws shape_error where `a`
/// breaks csr's contract, argument_error for a height or per_row out of range, too_much_padding before entries take
/// memory, std::bad_alloc, cuda_error.
template <class T>
std::shared_ptr<cmrs_content<T> const> make_cmrs(std::shared_ptr<memory> const& where, csr<T> const& a,
                                                 cmrs_options const& options);

/// The same with the arrays of `rows`, which nobody else shares, in host memory; without padding.
template <class T>
std::shared_ptr<cmrs_content<T> const> make_cmrs_in_place(csr_content<T>&& rows, cmrs_options const& options);

/// What it was made from. Works for content in any memory. Parallel. Throws std::bad_alloc, cuda_error.
template <class T>
csr<T> rows_of(cmrs_content<T> const& content);

/// The same with the arrays of `strips`, which nobody else shares, in host memory, not padded.
template <class T>
std::shared_ptr<csr_content<T> const> rows_in_place(cmrs_content<T>&& strips);

}  // namespace detail
}  // namespace copse
