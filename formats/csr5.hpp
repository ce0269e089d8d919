// CSR5 (Liu & Vinter, ICS'15): compressed rows cut into tiles of equal numbers of entries, so that products are
// balanced and vectorised whatever the rows look like. csr5/layout.hpp has the picture.
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
#include <copse/formats/flat/on_gpu.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstdint>
#include <memory>
#include <utility>

namespace copse {

/// The height of tiles from the mean of the entries in a row (CSR5 §3.2): r up to r, the mean up to s, s up to t, u
/// above. The paper's values for NVIDIA's Maxwell.
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
    /// Columns of a tile: 4, 8, 16 or 32. 0: as many values as the CPU's vectors hold (of 32 bytes at least), and 32 on
    /// other executors.
    int omega = 0;
    /// Rows of a tile: 1 .. 128. 0: 16 on the cpu, and by the rule on other executors.
    int sigma = 0;
    csr5_sigma_rule rule = {};
};

template <class T>
struct csr5_content : flat_content {
    csr5_options options;  // as given: 0 where omega or sigma was left open
    detail::csr5_layout layout;
    bool has_empty_rows = false;
    buffer<std::int64_t> row_offsets;
    buffer<std::uint32_t> tile_pointers;
    buffer<std::uint32_t> tile_descriptors;
    buffer<std::int64_t> empty_offset_pointers;  // empty where no tile has a sign
    buffer<std::uint32_t> empty_offsets;
    buffer<std::int32_t> column_indices;
    buffer<T> values;

    /// Conversions back can be in place.
    static constexpr bool has_arrays_of_rows() { return true; }
    /// What CSR5 adds to CSR.
    std::int64_t extra_bytes() const {
        return static_cast<std::int64_t>(tile_pointers.bytes() + tile_descriptors.bytes() +
                                         empty_offset_pointers.bytes() + empty_offsets.bytes());
    }
    std::int64_t bytes() const {
        return static_cast<std::int64_t>(row_offsets.bytes() + column_indices.bytes() + values.bytes()) + extra_bytes();
    }
    detail::csr5_view<T> view() const {
        return {row_count,
                column_count,
                entry_count,
                layout,
                row_offsets.data(),
                tile_pointers.data(),
                tile_descriptors.data(),
                empty_offset_pointers.data(),
                empty_offsets.data(),
                column_indices.data(),
                values.data()};
    }

    /// Of a 0 x 0 matrix in host memory, the same one every time.
    static std::shared_ptr<csr5_content const> const& empty();
};

namespace detail {

/// The options with omega and sigma for an executor. Throws argument_error.
csr5_options csr5_options_for(cpu const&, csr5_options options, int value_bytes, std::int64_t entries,
                              std::int64_t rows);
csr5_options csr5_options_for(emulated const&, csr5_options options, int value_bytes, std::int64_t entries,
                              std::int64_t rows);
csr5_options csr5_options_for(gpu const&, csr5_options options, int value_bytes, std::int64_t entries,
                              std::int64_t rows);

/// `sizes`: the options with omega and sigma, `given`: as the caller left them. Throws as csr5's constructor does.
template <class T>
std::shared_ptr<csr5_content<T> const> make_csr5(std::shared_ptr<memory> const& where, csr<T> const& a,
                                                 csr5_options const& sizes, csr5_options const& given);

/// The same with the arrays of `rows`, which nobody else shares, in host memory.
template <class T>
std::shared_ptr<csr5_content<T> const> make_csr5_in_place(csr_content<T>&& rows, csr5_options const& sizes,
                                                          csr5_options const& given);

/// Full tiles first .. last - 1 of `count` entries, from the order of rows to that of tiles, or back. `to` may be
/// `from`: then in place.
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
    using options_type = csr5_options;

    /// Converts on the CPU, by the executor's threads or OpenMP's, and places the result in the executor's memory; on a
    /// gpu that is not const, there. The same entries and options give the same bytes. Waits. Throws argument_error for
    /// options out of range, shape_error where `a` breaks csr's contract, std::bad_alloc, cuda_error.
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    csr5(Executor const& executor, csr<T> const& a, csr5_options options = {})
        : csr5(detail::on_threads_of(executor, [&] {
              auto const sizes = detail::csr5_options_for(executor, options, sizeof(T), a.entry_count(), a.row_count);
              return detail::make_csr5(executor.memory(), a, sizes, options);
          })) {}
    csr5(gpu& executor, csr<T> const& a, csr5_options options = {})
        : csr5(detail::converted_on_gpu<csr5>(executor, a, options)) {}
    /// The same matrix, state included, in the executor's memory, where `a` is. In place, that is with a's arrays, if
    /// nobody else shares them; else by a copy. Throws as above, and argument_error where `a` is in host memory and the
    /// executor is a gpu; `a` is gone in either case.
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    csr5(Executor const& executor, csr_matrix<T>&& a, csr5_options options = {})
        : csr5(detail::on_threads_of(executor, [&] {
              auto const sizes =
                  detail::csr5_options_for(executor, options, sizeof(T), a.entry_count(), a.content()->row_count);
              return from_rows(std::move(a), sizes, options);
          })) {}
    csr5(gpu& executor, csr_matrix<T>&& a, csr5_options options = {})
        : csr5(detail::converted_on_gpu<csr5>(executor, std::move(a), options)) {}
    /// With omega and sigma given.
    csr5(std::shared_ptr<memory> const& where, csr<T> const& a, csr5_options options)
        : csr5(detail::make_csr5(where, a, options, options)) {}
    /// A matrix that shares `content`.
    explicit csr5(std::shared_ptr<csr5_content<T> const> content)
        : flat_matrix<csr5, T, csr5_content<T>>(std::move(content)) {}

    int omega() const noexcept { return this->content()->layout.omega; }
    int sigma() const noexcept { return this->content()->layout.sigma; }
    /// What the tiles' pointers and descriptors take: about 2 % of a matrix of doubles (CSR5 §3.5).
    std::int64_t extra_bytes() const noexcept { return this->content()->extra_bytes(); }

  private:
    static csr5 from_rows(csr_matrix<T>&& a, csr5_options const& sizes, csr5_options const& given);
};

/// The matrix with its state applied. Works for content in any memory. Throws cuda_error.
template <class T>
csr<T> to_csr(csr5<T> const& a);

/// The same in the executor's memory, where `a` is, converted there; the state goes along. Waits. Throws argument_error
/// for a matrix in host memory, cuda_error.
template <class T>
csr_matrix<T> to_csr_matrix(gpu& executor, csr5<T> const& a) {
    return detail::rows_on_gpu(executor, a);
}
/// In place if nobody else shares a's arrays; else by a copy. `a` is gone in either case.
template <class T>
csr_matrix<T> to_csr_matrix(gpu& executor, csr5<T>&& a) {
    return detail::rows_on_gpu(executor, std::move(a));
}

/// The inverse of the conversion in place, under the same conditions, in host memory; else by a copy. State included.
/// Throws std::bad_alloc, cuda_error; `a` is gone in either case.
template <class T>
csr_matrix<T> to_csr_matrix(csr5<T>&& a);

/// `b` in CSR5, in the executor's memory, with a's omega and options. If a's sigma was left open, the executor chooses
/// one for b. Plans store A^T by this.
template <class Executor, class T>
csr5<T> like(Executor& executor, csr5<T> const& a, csr<T> const& b) {
    csr5_options options = a.content()->options;
    options.omega = a.omega();
    return {executor, b, options};
}

}  // namespace copse
