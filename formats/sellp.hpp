// SELL-P: slices of b rows, padded to the longest of them and to a multiple of t threads (Anzt, Tomov, Dongarra, §II,
// Figure 1; §III); rows sorted by length within windows as an option (SELL-C-sigma).
//
//   Rows stand in slots. A slice is b slots; its rows are as long as its longest, rounded up to a multiple of t, and
//   stored column by column, so that b lanes read side by side. b = 2, t = 2:
//
//     [ 5 . 6 7 ]   slots 0, 1     columns  0 0  2 -1  3 -1  -1 -1
//     [ 8 . . . ]                  values   5 8  6  0  7  0   0  0
//     [ . 9 . . ]   slots 2, 3     columns  1 -1  -1 -1
//                                  values   9  0   0  0
//     slice_offsets  0 8 12
//
// Padding has column -1, behind a row's entries: an explicit zero has its own column, and telling them apart costs no
// memory. Row lengths beside the entries would be 4 bytes per row; they lost, because a product looks at the column
// anyway.
//
//   copse::sellp<double> a(gpu, copse::to_csr(copse::read_matrix_market<double>("a.mtx")));
//   copse::sellp<double> b(cpu, rows, {.slice_rows = 8, .row_threads = 4, .sorting_window = 1024});
//   copse::spmv(gpu, 1.0, a, x, 0.0, y);
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <memory>
#include <optional>

namespace copse {

struct sellp_options {
    /// b and t, powers of two from 1 to 128. 0: the executor decides. On a GPU b * t = 32; on a CPU b is the number of
    /// values in four vectors.
    int slice_rows = 0;
    int row_threads = 0;
    /// SELL-C-sigma: rows are sorted by length within each window of this many rows, 1 or more. 1: rows stay in order.
    std::int64_t sorting_window = 1;
    /// The most bytes of padding. Not set: as many bytes as the entries take, but at least a megabyte.
    std::optional<std::int64_t> most_padding_bytes = {};
};
/// Rows sorted by length, as matrix_format::sellp_sorted has them.
inline constexpr sellp_options sorted_sellp{.sorting_window = 1024};

/// Plain pointers into an executor's memory; does not own. Trivially copyable.
template <class T>
struct sellp_view {
    static constexpr std::int32_t padding = -1;

    std::int64_t const* slice_offsets;   // [slice_count + 1]; multiples of b * t
    std::int32_t const* column_indices;  // [slice_offsets[slice_count]]
    T const* values;                     // likewise; 0 where there is no entry
    std::int32_t const* rows;            // [row_count] the row in each slot; null where slot i holds row i
    std::int64_t row_count;
    std::int64_t column_count;
    std::int64_t slice_count;
    int slice_rows;  // b, a power of two

    COPSE_HOST_DEVICE std::int64_t first_slot(std::int64_t slice) const { return slice * slice_rows; }
    /// Slots of a slice that hold a row: b, or fewer in the last slice.
    COPSE_HOST_DEVICE int rows_in(std::int64_t slice) const {
        std::int64_t const left = row_count - first_slot(slice);
        return left < slice_rows ? static_cast<int>(left) : slice_rows;
    }
    COPSE_HOST_DEVICE std::int64_t row_in(std::int64_t slot) const { return rows ? rows[slot] : slot; }
    /// The padded length of a slice's rows: its longest row, rounded up to a multiple of t.
    COPSE_HOST_DEVICE std::int64_t width_of(std::int64_t slice) const {
        return (slice_offsets[slice + 1] - slice_offsets[slice]) / slice_rows;
    }
};

template <class T>
struct sellp_content : flat_content_of<sellp_content<T>> {
    using options_type = sellp_options;

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
        return {slice_offsets.data(), column_indices.data(), values.data(), rows.data(),
                this->row_count,      this->column_count,    slice_count,   options.slice_rows};
    }
    static std::shared_ptr<sellp_content const> make(std::shared_ptr<memory> const& where, csr_view<T> const& a,
                                                     sellp_options const& options, bool many_lanes);
    csr<T> to_rows() const;
};

namespace detail {

/// Returns b and t, chosen where the caller leaves them open.
template <class T>
sellp_options with_defaults(sellp_options options, bool many_lanes);
/// Throws argument_error for b, t or a window out of range.
void check_options(sellp_options const& options);
/// `a`: with its number of places. Throws too_much_padding.
template <class T>
void check_padding(sellp_content<T> const& a);

}  // namespace detail

template <class T>
class sellp : public flat_matrix<sellp<T>, T, sellp_content<T>> {
  public:
    static constexpr char const* name = "sellp";
    using sellp::flat_matrix::flat_matrix;

    /// b, t.
    int slice_rows() const noexcept { return this->content()->options.slice_rows; }
    int row_threads() const noexcept { return this->content()->options.row_threads; }
    /// Bytes of the places that hold no entry.
    std::int64_t padding_bytes() const noexcept {
        auto const& c = *this->content();
        return (c.stored_count - c.entry_count) * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(T));
    }
};

}  // namespace copse
