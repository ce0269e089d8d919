// Compressed sparse rows in an executor's memory: the baseline among the flat formats. `csr<T>` (csr.hpp) is the host's
// container, and the input of the conversions.
//
//   copse::csr_matrix<double> a(gpu, copse::to_csr(copse::read_matrix_market<double>("a.mtx")));
//   copse::spmv(gpu, 1.0, a, x, 0.0, y);
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstdint>
#include <memory>
#include <utility>

namespace copse {

/// How rows are shared out. On executors with many lanes: a lane for each row (the papers' CSR-scalar), 32 lanes for
/// each row (CSR-vector), or equal shares of rows plus entries, whatever the rows' lengths (merge path). On the cpu the
/// first two give each thread whole rows, the third splits rows too.
enum class csr_kernel { automatic, row_split, vector, merge_path };

struct csr_matrix_options {
    /// automatic, on a GPU: row_split if no row has more than 64 entries, else merge_path (at most 6 % behind the best:
    /// bench/results/flat_formats.md). In host memory: merge_path if the longest row has 32 times the mean and 1024
    /// entries or more, else row_split.
    csr_kernel kernel = csr_kernel::automatic;
};

/// Pointers into somebody's arrays.
template <class T>
struct csr_view {
    std::int64_t row_count;
    std::int64_t column_count;
    std::int64_t const* row_offsets;
    std::int32_t const* column_indices;
    T const* values;
};

template <class T>
csr_view<T> view_of(csr<T> const& a) {
    return {a.row_count, a.column_count, a.row_offsets.data(), a.column_indices.data(), a.values.data()};
}

template <class T>
struct csr_content : flat_content {
    csr_matrix_options options;              // as given
    csr_kernel kernel = csr_kernel::vector;  // never automatic
    buffer<std::int64_t> row_offsets;
    buffer<std::int32_t> column_indices;
    buffer<T> values;

    std::int64_t bytes() const {
        return static_cast<std::int64_t>(row_offsets.bytes() + column_indices.bytes() + values.bytes());
    }
    csr_view<T> view() const {
        return {row_count, column_count, row_offsets.data(), column_indices.data(), values.data()};
    }

    /// Of a 0 x 0 matrix in host memory, the same one every time.
    static std::shared_ptr<csr_content const> const& empty();
};

template <class T>
class csr_matrix : public flat_matrix<csr_matrix<T>, T, csr_content<T>> {
  public:
    static constexpr char const* name = "csr";
    using options_type = csr_matrix_options;

    /// Copies `a` into the executor's memory. Waits. Throws shape_error where `a` breaks csr's contract,
    /// std::bad_alloc, cuda_error.
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    csr_matrix(Executor const& executor, csr<T> const& a, csr_matrix_options options = {})
        : csr_matrix(detail::on_threads_of(executor, [&] { return csr_matrix(executor.memory(), a, options); })) {}
    csr_matrix(std::shared_ptr<memory> const& where, csr<T> const& a, csr_matrix_options options = {});

    /// A matrix that shares `content`.
    explicit csr_matrix(std::shared_ptr<csr_content<T> const> content)
        : flat_matrix<csr_matrix, T, csr_content<T>>(std::move(content)) {}

    /// Never automatic.
    csr_kernel kernel() const noexcept { return this->content()->kernel; }
};

namespace detail {

/// What csr_kernel::automatic stands for.
csr_kernel choose_csr_kernel(std::int64_t rows, std::int64_t entries, std::int64_t longest_row,
                             memory_space space) noexcept;

/// Sets that kernel. `rows`: in host memory.
template <class T>
void choose_kernel(csr_content<T>& rows);

}  // namespace detail

/// The matrix with its state applied. Works for content in any memory. Throws cuda_error.
template <class T>
csr<T> to_csr(csr_matrix<T> const& a);

/// `b` with a's options, in the executor's memory. If a's kernel was left open, one is chosen for b. Plans store A^T by
/// this.
template <class Executor, class T>
csr_matrix<T> like(Executor& executor, csr_matrix<T> const& a, csr<T> const& b) {
    return {executor, b, a.content()->options};
}

}  // namespace copse
