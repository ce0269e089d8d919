// Compressed sparse rows in an executor's memory: the baseline among the flat formats. `csr<T>` (csr.hpp) is the host's
// container, and the input of the conversions.
//
//   copse::csr_matrix<double> a(gpu, copse::to_csr(copse::read_matrix_market<double>("a.mtx")));
//   copse::spmv(gpu, 1.0, a, x, 0.0, y);
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/csr/compressed_rows.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace copse {

/// How a product divides the rows. On executors with many lanes: a lane for each row (the papers' CSR-scalar), 32 lanes
/// for each row (CSR-vector), or equal portions of rows plus entries, for any lengths of rows (merge path); of A^T x 32
/// lanes for each stored row, or such portions where merge_path was asked for. On the cpu the first two kernels give
/// each thread whole rows; the third one also splits rows.
enum class csr_kernel { automatic, row_split, vector, merge_path };

struct csr_matrix_options {
    /// automatic, on a GPU: row_split if no row has more than 64 entries, else merge_path (at most 6 % behind the best:
    /// bench/results/flat_formats.md). In host memory: merge_path if the longest row has 32 times the mean and 1024
    /// entries or more, else row_split.
    csr_kernel kernel = csr_kernel::automatic;
};

/// Pointers into arrays that a content owns. For arrays of others there is csr_view (views.hpp).
template <class T>
struct csr_matrix_view {
    std::int64_t row_count;
    std::int64_t column_count;
    std::int64_t const* row_offsets;
    std::int32_t const* column_indices;
    T const* values;
};

namespace detail {

template <class T>
csr_matrix_view<T> arrays_of(csr<T> const& a) {
    return {a.row_count, a.column_count, a.row_offsets.data(), a.column_indices.data(), a.values.data()};
}
template <class T>
csr_matrix_view<T> arrays_of(compressed_rows<T> const& a) {
    return {a.row_count, a.column_count, a.offsets.data(), a.column_indices.data(), a.values.data()};
}

}  // namespace detail

template <class T>
struct csr_content : flat_content_of<csr_content<T>> {
    using options_type = csr_matrix_options;

    csr_matrix_options options;              // as given
    csr_kernel kernel = csr_kernel::vector;  // never automatic
    buffer<std::int64_t> row_offsets;
    buffer<std::int32_t> column_indices;
    buffer<T> values;

    std::int64_t bytes() const {
        return static_cast<std::int64_t>(row_offsets.bytes() + column_indices.bytes() + values.bytes());
    }
    csr_matrix_view<T> view() const {
        return {this->row_count, this->column_count, row_offsets.data(), column_indices.data(), values.data()};
    }
    operator csr_view<T>() const {
        return {this->row_count, this->column_count, row_offsets, column_indices, values, {.ascending = true}};
    }
    static std::shared_ptr<csr_content const> make(std::shared_ptr<memory> const& where, csr_view<T> const& a,
                                                   csr_matrix_options const& options, bool many_lanes);
    csr<T> to_rows() const;
};

template <class T>
class csr_matrix : public flat_matrix<csr_matrix<T>, T, csr_content<T>> {
  public:
    static constexpr char const* name = "csr";
    using csr_matrix::flat_matrix::flat_matrix;

    /// Never automatic.
    csr_kernel kernel() const noexcept { return this->content()->kernel; }
};

namespace detail {

/// The kernel that csr_kernel::automatic chooses.
csr_kernel choose_csr_kernel(std::int64_t rows, std::int64_t entries, std::int64_t longest_row,
                             memory_space space) noexcept;

/// Sets the kernel so chosen. `rows`: in host memory.
template <class T>
void choose_kernel(csr_content<T>& rows);

}  // namespace detail

/// A flat format other than compressed rows.
template <class Matrix>
concept converted_format = flat_format<Matrix> && !std::is_same_v<Matrix, csr_matrix<typename Matrix::value_type>>;

/// Converts a matrix in another flat format to compressed rows, state included, in the memory of `a`, on the CPU.
/// Takes a's arrays if the format has those of rows, no other matrix shares them (`a` is moved here) and they are in
/// host memory; else copies. Throws std::bad_alloc, cuda_error.
template <converted_format Matrix>
csr_matrix<typename Matrix::value_type> to_csr_matrix(Matrix a) {
    using rows = csr_matrix<typename Matrix::value_type>;
    auto const& content = a.content();
    auto const made = [&] {
        if constexpr (requires { detail::taken(content).to_rows_in_place(); })
            if (detail::is_sole(content) && a.space() == memory_space::host &&
                Matrix::content_type::takes_arrays_of_rows(content->options))
                return rows(detail::taken(content).to_rows_in_place());
        return rows(content->where, content->to_rows());
    };
    return detail::with_state_of(made(), a.is_transposed(), a.scale());
}

/// The same, converted by the executor in its memory, where `a` must be; in place under the same conditions. Waits.
/// Throws argument_error for a matrix in host memory, cuda_error.
template <converted_format Matrix>
csr_matrix<typename Matrix::value_type> to_csr_matrix(gpu& executor, Matrix a) {
    return detail::rows_on_gpu(executor, std::move(a));
}

}  // namespace copse
