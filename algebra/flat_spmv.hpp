// Products of matrices in flat formats (csr_matrix, csr5, ...) and vectors, through the scheduler. The seeds are a few
// ranges over tiles, slices, strips or rows.
//
//   copse::csr5<double> a(cpu, copse::to_csr(copse::read_matrix_market<double>("a.mtx")));
//   copse::spmv(cpu, 2.0, copse::transposed(a), x, 0.5, y);      // y <- 2 A^T x + 0.5 y
//   copse::flat_plan plan(cpu, a);                               // many products: A^T is stored as a matrix of its own
//   copse::spmv(cpu, 1.0, plan, x, 0.0, y);                      // y <- A x
//   copse::spmv(cpu, 1.0, copse::transposed(plan), y, 0.0, x);   // x <- A^T y; makes A^T first
//
// In CSR and SELL-P also with several columns at once (spmm.hpp has those of HiSparse):
//
//   copse::spmm(cpu, 1.0, copse::transposed(plan), y, 0.0, x);   // X <- A^T Y, by rows of A^T
#pragma once

#include <concepts>
#include <copse/algebra/plans/made_once.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/dense_view.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/executor.hpp>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse {

/// y <- alpha * op(A) * x + beta * y, where op(A) is `a` with its state: transposed(a), scaled(a, s).
/// op(A): m x n; x: n elements; y: m elements; x and y must not overlap.
/// spmv.hpp has the rule for Inf, NaN and 0 in factors, x, A and y. If f, alpha times the scale, is not finite, the
/// product takes temporary memory for m elements, and one more run.
/// Waits. On the cpu a matrix of few entries, or one thread, takes no run: the report then names no queues.
/// A x gives the same bits every time (on the cpu: with the same number of threads): sums of rows that several tiles
/// share are added in the order of the tiles. The transposed product scatters, without a copy of the matrix. On the cpu
/// each thread scatters into an array of its own (at most threads x m elements); these are added in order, which gives
/// the same bits every time. Other executors use atomic additions, whose order may differ from run to run; flat_plan
/// has a product without them. Throws shape_error for sizes that do not fit, argument_error for a matrix or vector in
/// memory that the executor does not use, both before anything is started; cuda_error. For float and double.
template <flat_format Matrix, any_executor Executor>
run_report spmv(Executor& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y);
/// The same on the executor's stream, without the scheduler's queues and without waiting: a, x and y must stay until
/// the product is done. What spmv_async() with a plan says of temporary memory and of captures holds here too
/// (below). The first product of a process may wait, or end a capture, while CUDA loads its kernels. To load
/// them beforehand, make a flat_plan of the format.
template <flat_format Matrix>
void spmv_async(gpu& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y);

template <flat_format Matrix>
class flat_plan;

namespace detail {

/// One direction: a matrix as it is stored, and how the cpu's threads divide it (empty for other executors).
template <class Matrix>
struct flat_direction {
    Matrix matrix;
    std::vector<std::int64_t> parts;
};

/// A, and A^T from its first use on, as stored. Never changed otherwise.
template <class Matrix>
struct flat_plan_content {
    flat_plan_content(flat_direction<Matrix> a, int threads_of_cpu) : stored(std::move(a)), threads(threads_of_cpu) {}

    flat_direction<Matrix> stored;
    int threads;  // of the cpu that the plan was made by; 0: another executor
    made_once<flat_direction<Matrix>> turned;

    std::int64_t bytes() const {
        auto parts = stored.parts.size();
        auto const* const made = turned.made();
        if (made) parts += made->parts.size();
        return (made ? made->matrix.bytes() : 0) + static_cast<std::int64_t>(parts * sizeof(std::int64_t));
    }
};

template <flat_format Matrix, any_executor Executor>
std::shared_ptr<flat_plan_content<Matrix> const> make_flat_plan(Executor& executor, Matrix const& a,
                                                                plan_directions directions);
/// What op(A) is a product by rows of. Made now, if this is its first use.
template <flat_format Matrix, any_executor Executor>
flat_direction<Matrix> const& flat_direction_of(Executor& executor, flat_plan<Matrix> const& plan);

}  // namespace detail

/// Content and state, as a matrix is: copies are cheap and share the content, which keeps the matrix's content alive.
/// Products with one plan may run at the same time, from several threads. A plan that was moved from has 0 rows and
/// columns; everything else that uses it throws argument_error.
///
/// Products with A^T, where A is the matrix as it is stored, are by A^T in A's format, which takes as much memory as A
/// once more. The constructor makes it if it is given a transposed matrix, or plan_directions::both; else the first
/// such product does, as with a spmv_plan (spmv_plan.hpp), and throws what the constructor throws.
template <flat_format Matrix>
class flat_plan {
  public:
    using value_type = typename Matrix::value_type;

    /// A^T is made through the host's memory. Waits. On a GPU the constructor loads the kernels of the format's
    /// products; otherwise the first product of a process would do so. Throws argument_error where `a` is not in the
    /// executor's memory, what the format's conversion throws, std::bad_alloc, cuda_error.
    template <any_executor Executor>
    flat_plan(Executor& executor, Matrix const& a, plan_directions directions = plan_directions::when_used)
        : flat_plan(detail::make_flat_plan(executor, a, directions), a) {}

    std::int64_t row_count() const noexcept { return matrix_.row_count(); }
    std::int64_t column_count() const noexcept { return matrix_.column_count(); }
    /// Bytes that the plan takes besides the matrix, for the directions that are made.
    std::int64_t bytes() const { return content()->bytes(); }
    /// op(A), as this plan multiplies with it.
    Matrix const& matrix() const noexcept { return matrix_; }

    /// Shares the content. O(1).
    flat_plan transposed() const { return {content(), matrix_.transposed()}; }
    flat_plan scaled(value_type factor) const { return {content(), matrix_.scaled(factor)}; }

  private:
    std::shared_ptr<detail::flat_plan_content<Matrix> const> const& content() const {
        return detail::unless_moved_from(content_, "flat_plan");
    }
    friend std::shared_ptr<detail::flat_plan_content<Matrix> const> const& content_of(flat_plan const& plan) {
        return plan.content();
    }

    flat_plan(std::shared_ptr<detail::flat_plan_content<Matrix> const> content, Matrix matrix)
        : content_(std::move(content)), matrix_(std::move(matrix)) {}

    std::shared_ptr<detail::flat_plan_content<Matrix> const> content_;
    Matrix matrix_;
};

template <flat_format Matrix>
flat_plan<Matrix> transposed(flat_plan<Matrix> const& plan) {
    return plan.transposed();
}
template <flat_format Matrix>
flat_plan<Matrix> scaled(flat_plan<Matrix> const& plan, std::type_identity_t<typename Matrix::value_type> factor) {
    return plan.scaled(factor);
}

/// y <- alpha * op(A) * x + beta * y, as spmv() with the matrix does (above), Inf and NaN included, but by rows in both
/// directions, and on the gpu without the scheduler's queues. Gives the same bits every time, on the cpu for a
/// plan made with the same number of threads. x and y must not overlap. Waits. Throws shape_error for sizes that do not
/// fit, argument_error for vectors in another memory or that overlap, all before anything is started; cuda_error.
template <flat_format Matrix, any_executor Executor>
void spmv(Executor& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
          vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
          vector_view<typename Matrix::value_type> y);
/// The same on the executor's stream, without waiting: plan, x and y must stay until the product is done. What
/// spmv_async() with a spmv_plan says of temporary memory and of captures (spmv_plan.hpp) holds here too. These
/// products take temporary memory: those of CSR5, of CSR by the merge path, of CMRS in stretches (cmrs_options), and of
/// any format if alpha times the scale is not finite.
template <flat_format Matrix>
void spmv_async(gpu& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y);

/// A flat format whose rows are stored one by one: csr_matrix, sellp.
template <class Matrix>
concept row_format = flat_format<Matrix> &&(std::same_as<Matrix, csr_matrix<typename Matrix::value_type>> ||
                                            std::same_as<Matrix, sellp<typename Matrix::value_type>>);

/// Y <- alpha * op(A) * X + beta * Y, where op(A) is `a` with its state: transposed(a), scaled(a, s). Shapes, aliasing
/// and the rule for Inf, NaN and 0 are those of spmm() with HiSparse (spmm.hpp). A row is never shared: on the cpu its
/// thread, on other executors a lane for each column, goes through all of it, whatever the csr_kernel.
/// A X gives the same bits every time. A^T X scatters: on the cpu each thread into an array of its own, added in order
/// (the same bits for a number of threads; temporary memory for threads x m rows of 256 bytes), elsewhere by atomic
/// additions, in any order (m rows of 32 bytes). Waits. Throws shape_error, argument_error, both before anything is
/// started; cuda_error. For float and double.
template <row_format Matrix, any_executor Executor>
void spmm(Executor& executor, typename Matrix::value_type alpha, Matrix const& a,
          dense_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
          dense_view<typename Matrix::value_type> y);

/// The same by a plan, by rows in both directions, with the same bits every time.
template <row_format Matrix, any_executor Executor>
void spmm(Executor& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
          dense_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
          dense_view<typename Matrix::value_type> y);

}  // namespace copse
