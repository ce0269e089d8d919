// CMRS: compressed rows in strips of `height` rows, which a warp takes together, a strip's entries in any order (Koza
// et al., §3, §4).
//
//   height = 2:   [ 1 . . 2 . ]   strip_offsets  0 4 9 10
//                 [ . 3 . . 4 ]   columns        0 3 1 4 | 2 4 2 3 4 | 4
//                 [ . . 5 . 6 ]   row in strip   0 0 1 1 | 0 0 1 1 1 | 0
//                 [ . . 7 8 9 ]   values         1 2 3 4 | 5 6 7 8 9 | 10
//                 [ . . . . 10]
//
//   word = column << row_bits | row in strip       28 + 4 bits, or fewer for the row where columns need more
//
// The padded form (§6.7): strips are chunks of 32 places; a chunk has at most `per_row` entries of each row, side by
// side, so that their places modulo per_row differ. A place without an entry has the word `padding`.
//
//   copse::cmrs<double> a(gpu, copse::to_csr(copse::read_matrix_market<double>("a.mtx")));
//   copse::cmrs<double> b(gpu, rows, {.height = 16, .per_row = 8});           // padded
//   copse::cmrs<double> c(cpu, std::move(compressed_rows));                   // in place: takes a csr_matrix's arrays
//   copse::spmv(gpu, 1.0, a, x, 0.0, y);
#pragma once

#include <copse/formats/cmrs/strips.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <memory>
#include <optional>

namespace copse {

struct cmrs_options {
    /// Rows of a strip, 1 to 16; fewer if the columns need the bits. 0: the executor decides (§6.3).
    int height = 0;
    /// Sort the entries of a strip by column, so that neighbouring lanes read neighbouring elements of x. Not set: sort
    /// on a GPU only. On a CPU products get 0 to 10 % faster (in cache); the sort costs as much as many products.
    std::optional<bool> sorted = {};
    /// M of §6.7, a power of two from 1 to 32: strips in chunks of 32 places, with at most M entries of a row in each.
    /// 0: no padding.
    int per_row = 0;
    /// The most bytes of padding. Not set: as many bytes as the entries take, but at least a megabyte.
    std::optional<std::int64_t> most_padding_bytes = {};
    /// For matrices with a few very long rows, on executors with many lanes. A strip of 2 * stretch places or more is
    /// cut into stretches of `stretch` places or more, which workers multiply side by side. 32 or more; `bench/gpu`
    /// tries 2048. 0: one worker multiplies a whole strip, as in the paper.
    int stretch = 0;
};

/// Places in a chunk of the padded form: the lanes of a warp.
inline constexpr int cmrs_chunk = 32;

/// Plain pointers into an executor's memory; does not own. Trivially copyable.
template <class T>
struct cmrs_view {
    static constexpr std::uint32_t padding = ~std::uint32_t{0};

    std::int64_t const* strip_offsets;  // [strip_count + 1]
    std::uint32_t const* words;         // [strip_offsets[strip_count]]
    T const* values;                    // likewise; 0 where there is no entry
    std::int64_t row_count;
    std::int64_t column_count;
    std::int64_t strip_count;
    int height;    // at most 2^row_bits
    int row_bits;  // 0 .. 4
    int per_row;   // M of §6.7; 0: not padded
    bool aligned;  // strips are long enough to begin reading at a multiple of 32 before them (§4, third optimisation)

    COPSE_HOST_DEVICE std::int64_t first_row(std::int64_t strip) const { return strip * height; }
    /// Rows of a strip: `height`, or fewer in the last one.
    COPSE_HOST_DEVICE int rows_in(std::int64_t strip) const {
        std::int64_t const left = row_count - first_row(strip);
        return left < height ? static_cast<int>(left) : height;
    }
    COPSE_HOST_DEVICE int row_of(std::uint32_t word) const { return static_cast<int>(word & ((1u << row_bits) - 1)); }
    COPSE_HOST_DEVICE std::uint32_t column_of(std::uint32_t word) const { return word >> row_bits; }
};

template <class T>
struct cmrs_content : flat_content_of<cmrs_content<T>> {
    using options_type = cmrs_options;

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
        bool const aligned = this->entry_count >= 32 * this->row_count;  // §6.3
        return {strip_offsets.data(), unsigned_words, values.data(), this->row_count, this->column_count,
                strip_count,          height,         row_bits,      options.per_row, aligned};
    }
    detail::strip_shape shape() const noexcept { return {this->row_count, height, row_bits}; }

    /// A height for which the columns leave too few bits becomes the largest height for which they leave enough.
    static std::shared_ptr<cmrs_content const> make(std::shared_ptr<memory> const& where, csr_view<T> const& a,
                                                    cmrs_options const& options, bool many_lanes);
    static bool takes_arrays_of_rows(cmrs_options const& options) noexcept { return options.per_row == 0; }
    /// Converts in place: takes the arrays of `rows`, which no other matrix shares, in host memory. Without padding.
    static std::shared_ptr<cmrs_content const> make_in_place(csr_content<T>&& rows, cmrs_options const& options,
                                                             bool many_lanes);
    csr<T> to_rows() const;
    /// The rows of a strip lie one after the other, as in CSR.
    bool has_arrays_of_rows() const noexcept { return !options.sorted.value_or(false) && options.per_row == 0; }
    /// Works for sorted strips, too.
    std::shared_ptr<csr_content<T> const> to_rows_in_place() &&;
};

namespace detail {

/// Returns the options with height and order chosen where the caller leaves them open.
template <class T>
cmrs_options with_defaults(cmrs_options options, bool many_lanes);
/// Makes the content that follows from A's shape and the options: all but the arrays and the number of places. Throws
/// argument_error.
template <class T>
void set_shape(cmrs_content<T>& c, flat_content const& a, cmrs_options const& options);
/// Throws too_much_padding, for the number of places and the limit of `c`.
template <class T>
void check_padding(cmrs_content<T> const& c);

}  // namespace detail

template <class T>
class cmrs : public flat_matrix<cmrs<T>, T, cmrs_content<T>> {
  public:
    static constexpr char const* name = "cmrs";
    using cmrs::flat_matrix::flat_matrix;

    int height() const noexcept { return this->content()->height; }
    /// Bytes of the places that hold no entry: 0 in the form that is not padded.
    std::int64_t padding_bytes() const noexcept {
        auto const& c = *this->content();
        return (c.stored_count - c.entry_count) * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(T));
    }
};

}  // namespace copse
