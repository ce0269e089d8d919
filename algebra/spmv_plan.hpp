// Many products of one sparse matrix with vectors: the tree is traversed once, for all of them.
//
//   copse::spmv_plan<double> plan(cpu, a);                                   // records the leaves, for A x
//   copse::spmv(cpu, 1.0, plan, x, 0.0, y);                                  // y <- A x
//   copse::spmv(cpu, 1.0, copse::transposed(plan), x, 0.0, y);               // y <- A^T x, same plan: makes its lists
//
//   // r <- b - A x and r^T r in one pass: the function is called for each element of r when the element is done
//   double const rr = copse::spmv(cpu, -1.0, plan, x, 1.0, r, [](std::int64_t, double r_i) { return r_i * r_i; });
#pragma once

#include <concepts>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/executor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

namespace copse {

/// Which lists the constructor of a plan makes. when_used: those of products with op(A), the matrix that it is given;
/// those of products with op(A)^T when such a product is first asked for. both: all, so that no product has to.
enum class plan_directions { when_used, both };

template <class T>
class spmv_plan;

namespace detail {

template <class T>
struct plan_content;

struct plan_shape;
/// shape: null for what suits the executor.
template <class T, any_executor Executor>
std::shared_ptr<plan_content<T> const> record_plan(Executor& executor, hisparse<T> const& a, plan_directions directions,
                                                   plan_shape const* shape);
/// A plan of a shape of one's own: for tests and measurements.
template <class T, any_executor Executor>
spmv_plan<T> plan_in_shape(Executor& executor, hisparse<T> const& a, plan_shape const& shape) {
    return {record_plan<T>(executor, a, plan_directions::when_used, &shape), a};
}
template <class T, class V, any_executor Executor>
void replay_and_wait(Executor& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                     vector_view<V> y);
template <class T, class V>
void replay_without_waiting(gpu& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                            vector_view<V> y);

}  // namespace detail

/// The leaves of a matrix and of its transpose, sorted and grouped by the elements of y that they add to. A plan is
/// content and state, as a matrix is: copies are cheap, and share the content; it keeps the matrix's content alive.
/// Products with one plan may run at the same time, from several threads. A plan that was moved from has 0 rows and
/// columns; everything else that uses it throws argument_error.
///
/// The first product in a direction whose lists the constructor has not made makes them, once for all copies of the
/// plan and all threads, of which the others wait. It waits for a GPU, spmv_async() too, and throws what the
/// constructor throws; the plan stays usable, and the next such product tries again. If the stream is capturing then,
/// the product throws cuda_error, and the capture goes on: plan_directions::both.
template <class T>
class spmv_plan {
  public:
    /// Records op(A): `a` with its state. Takes 24 bytes for each leaf in each direction that is made, and 12 (float:
    /// 8) for each entry of a wide leaf in the direction in which it is transposed: A^T, but for sub-trees that are
    /// shared with a transposed matrix. If sub-trees and their transposes are stored once
    /// (hisparse_options::share_transposed), a plan of the cpu executor reads a leaf once for both places, where that
    /// takes fewer bytes; its lists take up to 24 bytes more for each leaf and direction. Waits. A GPU makes the lists
    /// itself; meanwhile it needs about 100 bytes for each leaf, and 24 for each entry of wide leaves. The constructor
    /// loads the kernels of products with the plan; otherwise the first product of a process would do so.
    /// Throws argument_error where `a` is not in the executor's memory, shape_error, cuda_error, std::bad_alloc.
    template <any_executor Executor>
    spmv_plan(Executor& executor, hisparse<T> const& a, plan_directions directions = plan_directions::when_used)
        : spmv_plan(detail::record_plan(executor, a, directions, nullptr), a) {}

    std::int64_t row_count() const noexcept { return matrix_.row_count(); }
    std::int64_t column_count() const noexcept { return matrix_.column_count(); }
    /// Bytes that the plan takes besides the matrix, for the directions that are made.
    std::int64_t bytes() const;
    /// Bytes that one product reads besides the matrix's nodes, or besides the plan's copies of them. 0 before the
    /// lists of its direction are made.
    std::int64_t list_bytes() const;
    /// op(A), as this plan multiplies with it.
    hisparse<T> const& matrix() const noexcept { return matrix_; }

    /// The plan for `edited`, a matrix of the same dimensions and node dimension in the same memory that shares nodes
    /// with matrix(): edit(plan.matrix(), ...) for example. It has the directions that this plan has. Parts without a
    /// change are reused. Time is proportional to the nodes that differ, and to the length of the lists (24 bytes for
    /// each leaf), which are copied. Throws shape_error, argument_error, and what the constructor throws.
    spmv_plan updated(hisparse<T> const& edited) const;

    /// Shares the content. O(1).
    spmv_plan transposed() const { return {content(), matrix_.transposed()}; }
    spmv_plan scaled(T factor) const { return {content(), matrix_.scaled(factor)}; }

  private:
    std::shared_ptr<detail::plan_content<T> const> const& content() const {
        return detail::unless_moved_from(content_, "spmv_plan");
    }
    friend std::shared_ptr<detail::plan_content<T> const> const& content_of(spmv_plan const& plan) {
        return plan.content();
    }

    template <class U, any_executor Executor>
    friend spmv_plan<U> detail::plan_in_shape(Executor&, hisparse<U> const&, detail::plan_shape const&);

    spmv_plan(std::shared_ptr<detail::plan_content<T> const> content, hisparse<T> matrix)
        : content_(std::move(content)), matrix_(std::move(matrix)) {}

    std::shared_ptr<detail::plan_content<T> const> content_;
    hisparse<T> matrix_;
};

template <class T>
spmv_plan<T> transposed(spmv_plan<T> const& plan) {
    return plan.transposed();
}
template <class T>
spmv_plan<T> scaled(spmv_plan<T> const& plan, std::type_identity_t<T> factor) {
    return plan.scaled(factor);
}

/// The plan for a matrix of which plan.matrix() has been edited; see spmv_plan::updated().
template <class T>
spmv_plan<T> update(spmv_plan<T> const& plan, hisparse<T> const& edited) {
    return plan.updated(edited);
}

/// y <- alpha * op(A) * x + beta * y, as spmv() without a plan does (spmv.hpp), by the plan's lists. Gives the same
/// bits every time: they depend on the matrix, on the instruction set, and on the number of threads that the plan was
/// made for, not on which thread takes which part. f is computed in the vectors' type, and multiplied with whole sums
/// s_i only: an f of Inf or NaN takes no temporary memory here. x and y must not overlap. Waits.
/// Throws, before anything is started, shape_error for sizes that do not fit; argument_error for a plan's matrix or
/// vectors in another memory, for vectors that overlap, and where lanes are to use a plan that a cpu made in parts of
/// more rows than they have room for; cuda_error. hisparse §5; §7 says what a traversal for each product costs.
template <class T, any_executor Executor>
void spmv(Executor& executor, std::type_identity_t<T> alpha, spmv_plan<T> const& plan,
          std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
          std::type_identity_t<vector_view<T>> y) {
    detail::replay_and_wait<T, T>(executor, alpha, plan, x, beta, y);
}
/// The same on the executor's stream, without waiting: plan, x and y must stay until the product is done. There is one
/// exception besides a first product in a direction (spmv_plan): if parts of the plan share rows, a product takes
/// temporary memory; if the device has too little, even after all executors gave back the memory that they keep, this
/// waits for the device.
/// The stream may be capturing. plan, x and y must then stay for as long as the graph is launched. Until the capture
/// ends, no thread may make or free copse's objects on the device, or run anything of copse there but spmv_async()
/// (algebra/replay_gpu.cuh says why). The graph of a product that takes temporary memory has nodes that allocate and
/// free it; CUDA allows such a graph one executable instance at a time, and no clone.
template <class T>
void spmv_async(gpu& executor, std::type_identity_t<T> alpha, spmv_plan<T> const& plan,
                std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
                std::type_identity_t<vector_view<T>> y) {
    detail::replay_without_waiting<T, T>(executor, alpha, plan, x, beta, y);
}
/// A float matrix with double vectors: products and sums in double.
template <any_executor Executor>
void spmv(Executor& executor, double alpha, spmv_plan<float> const& plan, vector_view<double const> x, double beta,
          vector_view<double> y) {
    detail::replay_and_wait<float, double>(executor, alpha, plan, x, beta, y);
}
inline void spmv_async(gpu& executor, double alpha, spmv_plan<float> const& plan, vector_view<double const> x,
                       double beta, vector_view<double> y) {
    detail::replay_without_waiting<float, double>(executor, alpha, plan, x, beta, y);
}

/// Returns the number of pieces, rows that are written together, of a product with the plan: an epilogue's results are
/// summed for each (algebra/replay_gpu.cuh). Makes the lists if this is their first use.
template <class T>
std::int64_t piece_count(spmv_plan<T> const& plan);

/// epilogue(i, y_i), for products of vectors of V.
template <class Epilogue, class V>
concept plan_epilogue = std::invocable<Epilogue const&, std::int64_t, V&>;

namespace detail {

/// Called when rows first .. last - 1 of y are done. Pieces are numbered from 0; each is reported once, by any thread.
using rows_done = std::function<void(std::int64_t piece, std::int64_t first, std::int64_t last)>;

template <class T>
std::int64_t piece_count(cpu const& executor, spmv_plan<T> const& plan);

template <class T, class V>
void replay_on_cpu(cpu& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta, vector_view<V> y,
                   rows_done const& done);

template <class T, class V, class Epilogue>
auto replay_with(cpu& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta, vector_view<V> y,
                 Epilogue const& epilogue) {
    using result = std::decay_t<std::invoke_result_t<Epilogue const&, std::int64_t, V&>>;
    if constexpr (std::is_void_v<result>) {
        replay_on_cpu<T, V>(executor, alpha, plan, x, beta, y,
                            [&](std::int64_t, std::int64_t first, std::int64_t last) {
                                for (std::int64_t i = first; i < last; ++i) epilogue(i, y.data()[i]);
                            });
    } else {
        std::vector<result> sums(static_cast<std::size_t>(piece_count(executor, plan)));
        replay_on_cpu<T, V>(executor, alpha, plan, x, beta, y,
                            [&](std::int64_t piece, std::int64_t first, std::int64_t last) {
                                result sum{};
                                for (std::int64_t i = first; i < last; ++i) sum += epilogue(i, y.data()[i]);
                                sums[static_cast<std::size_t>(piece)] = sum;
                            });
        result total{};
        for (result const& sum : sums) total += sum;
        return total;
    }
}

}  // namespace detail

/// The same, and calls epilogue(i, y_i) for each element as soon as it is done, while it is in the cache: once for each
/// i, from several threads at a time. The epilogue may change y_i. Its results are summed, from Result{}, in the same
/// order every time, and spmv() returns the sum; Result has +=. The epilogue may return nothing. An exception that it
/// throws is passed on to the caller, and leaves a part of y as it was.
template <class T, plan_epilogue<T> Epilogue>
auto spmv(cpu& executor, std::type_identity_t<T> alpha, spmv_plan<T> const& plan,
          std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
          std::type_identity_t<vector_view<T>> y, Epilogue const& epilogue) {
    return detail::replay_with<T, T>(executor, alpha, plan, x, beta, y, epilogue);
}
template <plan_epilogue<double> Epilogue>
auto spmv(cpu& executor, double alpha, spmv_plan<float> const& plan, vector_view<double const> x, double beta,
          vector_view<double> y, Epilogue const& epilogue) {
    return detail::replay_with<float, double>(executor, alpha, plan, x, beta, y, epilogue);
}

}  // namespace copse
