// CSR5 (Liu & Vinter, ICS'15): compressed rows cut into tiles of equal numbers of entries, so that products are
// balanced and vectorised for any lengths of rows. csr5/layout.hpp has the picture.
//
//   row_offsets                as in CSR
//   column_indices, values     in full tiles transposed; the last tile, if it is not full, as in CSR
//   tile_pointers              the row of each tile's first entry; the sign says that rows without entries follow
//   tile_descriptors           bit_flag, y_offset, segment_offset of full tiles, packed
//   empty_offsets              rows of the segments of tiles with a sign
//
//   copse::csr5<double> a(cpu, copse::to_csr(copse::read_matrix_market<double>("a.mtx")));
//   copse::spmv(cpu, 1.0, a, x, 0.0, y);
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/csr5/layout.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <memory>

namespace copse {

/// The height of tiles (sigma) from the mean of the entries in a row (CSR5 §3.2): for a mean up to r, sigma is r; up
/// to s, the mean; up to t, s; above t, u. The values are the paper's for NVIDIA's Maxwell.
struct csr5_sigma_rule {
    int r = 4;
    int s = 32;
    int t = 256;
    int u = 4;

    int sigma(std::int64_t entries, std::int64_t rows) const noexcept {
        std::int64_t const mean = rows > 0 ? entries / rows : 0;
        return mean <= r ? r : mean <= s ? static_cast<int>(mean) : mean <= t ? s : u;
    }
};

struct csr5_options {
    /// Columns of a tile: 4, 8, 16 or 32. 0: on the cpu as many as one of its vectors holds values (vectors of at least
    /// 32 bytes), on other executors 32.
    int omega = 0;
    /// Rows of a tile: 1 .. 128. 0: on the cpu 16 (float: 18), on other executors by the rule above.
    int sigma = 0;
    csr5_sigma_rule rule = {};
};

template <class T>
struct csr5_content : flat_content_of<csr5_content<T>> {
    using options_type = csr5_options;

    csr5_options options;  // with omega; sigma as given: 0 where it was left open
    detail::csr5_layout layout;
    bool has_empty_rows = false;
    buffer<std::int64_t> row_offsets;
    buffer<std::uint32_t> tile_pointers;
    buffer<std::uint32_t> tile_descriptors;
    buffer<std::int64_t> empty_offset_pointers;  // empty where no tile has a sign
    buffer<std::uint32_t> empty_offsets;
    buffer<std::int32_t> column_indices;
    buffer<T> values;

    /// The bytes that CSR5 adds to CSR.
    std::int64_t extra_bytes() const {
        return static_cast<std::int64_t>(tile_pointers.bytes() + tile_descriptors.bytes() +
                                         empty_offset_pointers.bytes() + empty_offsets.bytes());
    }
    std::int64_t bytes() const {
        return static_cast<std::int64_t>(row_offsets.bytes() + column_indices.bytes() + values.bytes()) + extra_bytes();
    }
    detail::csr5_view<T> view() const {
        return {this->row_count,
                this->column_count,
                this->entry_count,
                layout,
                row_offsets.data(),
                tile_pointers.data(),
                tile_descriptors.data(),
                empty_offset_pointers.data(),
                empty_offsets.data(),
                column_indices.data(),
                values.data()};
    }

    static std::shared_ptr<csr5_content const> make(std::shared_ptr<memory> const& where, csr_view<T> const& a,
                                                    csr5_options const& options, bool many_lanes);
    static bool takes_arrays_of_rows(csr5_options const&) noexcept { return true; }
    /// Converts in place: takes the arrays of `rows`, which no other matrix shares, in host memory.
    static std::shared_ptr<csr5_content const> make_in_place(csr_content<T>&& rows, csr5_options const& options,
                                                             bool many_lanes);
    csr<T> to_rows() const;
    static bool has_arrays_of_rows() noexcept { return true; }
    std::shared_ptr<csr_content<T> const> to_rows_in_place() &&;
};

namespace detail {

/// Sets options and layout of a content whose shape is set already. Throws argument_error.
template <class T>
void set_layout(csr5_content<T>& content, csr5_options const& given, bool many_lanes);

/// Moves full tiles first .. last - 1 of `count` entries from the order of rows to that of tiles, or back. If `to` is
/// `from`, moves in place.
template <class Value>
void transpose_tiles(csr5_layout const& layout, std::int64_t first, std::int64_t last, Value const* from, Value* to);
template <class Value>
void transpose_tiles_back(csr5_layout const& layout, std::int64_t first, std::int64_t last, Value const* from,
                          Value* to);

}  // namespace detail

template <class T>
class csr5 : public flat_matrix<csr5<T>, T, csr5_content<T>> {
  public:
    static constexpr char const* name = "csr5";
    using csr5::flat_matrix::flat_matrix;

    int omega() const noexcept { return this->content()->layout.omega; }
    int sigma() const noexcept { return this->content()->layout.sigma; }
    /// The bytes of the tiles' pointers and descriptors: about 2 % of a matrix of doubles (CSR5 §3.5).
    std::int64_t extra_bytes() const noexcept { return this->content()->extra_bytes(); }
};

}  // namespace copse
