// Products of CSR and SELL-P with several columns, compiled for every executor: copse_add_operation() in this room's
// CMakeLists.txt. By lanes, a row and column each:
//
//   lanes   row 0: c0 c1 c2 c3 | row 1: c0 c1 c2 c3 | ...      lane_columns columns of some rows
#pragma once

#include <algorithm>
#include <concepts>
#include <copse/algebra/columns/check_columns.hpp>
#include <copse/algebra/columns/column_stretches.hpp>
#include <copse/algebra/columns/column_tasks.hpp>
#include <copse/algebra/columns/columns_cpu.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/products/product_factor.hpp>
#include <copse/cpu/columns/row_products.hpp>
#include <copse/cpu/flat/row_portions.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstdint>
#include <tuple>
#include <vector>
#if defined(__CUDACC__)
#include <copse/runtime/gpu_run.cuh>
#endif

namespace copse::detail {

/// Slots that a worker's lanes have at once: an item.
template <class T>
inline constexpr int slots_at_once = 32 / lane_columns<T>;

template <class T>
struct flat_columns_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "rows, several columns";

    row_slots<T> a;
    column_operands<T> of;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        std::int64_t const slot = which * slots_at_once<T> + w.rank() / lane_columns<T>;
        int const c = w.rank() % lane_columns<T>;
        if (slot >= a.row_count || c >= of.columns()) return;
        auto const places = a.places_of(slot);
        T sum = T(0);
        for (std::int64_t k = places.first; k < places.end; k += places.step) {
            std::int64_t const column = w.load_stream(a.columns + k);
            if (column < 0) break;
            sum += w.load_stream(a.values + k) * w.load(of.x + column * of.x_row_step + c * of.x_column_step);
        }
        T* const to = of.y.y + a.row_in(slot) * of.y.row_step + c * of.y.column_step;
        *to = of.y.beta == T(0) ? of.y.factor * sum : of.y.factor * sum + of.y.beta * *to;
    }
};

/// sums += A^T X, by atomic additions.
template <class T>
struct flat_columns_scatter_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "rows, several columns, transposed";

    row_slots<T> a;
    column_operands<T> of;
    T* sums;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        std::int64_t const slot = which * slots_at_once<T> + w.rank() / lane_columns<T>;
        int const c = w.rank() % lane_columns<T>;
        if (slot >= a.row_count || c >= of.columns()) return;
        auto const places = a.places_of(slot);
        T const x = w.load(of.x + a.row_in(slot) * of.x_row_step + c * of.x_column_step);
        for (std::int64_t k = places.first; k < places.end; k += places.step) {
            std::int64_t const column = w.load_stream(a.columns + k);
            if (column < 0) break;
            w.add(sums + column * lane_columns<T> + c, w.load_stream(a.values + k) * x);
        }
    }
};

/// Y <- factor * A X + beta * Y, or of A^T, in some columns. X is by rows. A null `a`: the matrix is not read.
template <class T>
class flat_columns_on_cpu {
  public:
    flat_columns_on_cpu(cpu& executor, row_slots<T> const* a, column_rows<T> const& x, column_output<T> const& y,
                        std::int64_t y_rows)
        : executor_(executor), a_(a), x_(x), y_(y), y_rows_(y_rows), step_(sums_step<T>(y.columns)) {}

    void multiply() const {
        auto const parts = parts_of(16 * std::int64_t{executor_.threads()});
        on_threads_of(executor_, [&] {
            parallel_for(
                std::ssize(parts) - 1, 1, [&] { return buffer<T>(host_memory(), slots_together * step_); },
                [&](buffer<T>& sums, std::int64_t p) {
                    auto const at = [&](std::int64_t i) { return parts[static_cast<std::size_t>(i)]; };
                    for (std::int64_t i = at(p); i < at(p + 1); i += slots_together)
                        multiply(i, std::min(at(p + 1), i + slots_together), sums.data());
                });
        });
    }
    /// A portion for each thread, into an array of its own; these are added in order.
    void scatter() const {
        auto const parts = a_ ? parts_of(executor_.threads()) : std::vector<std::int64_t>{0, 0};
        std::int64_t const portions = std::ssize(parts) - 1;
        std::vector<buffer<T>> sums;
        for (std::int64_t k = 0; k < portions; ++k) sums.emplace_back(host_memory(), y_rows_ * step_);
        on_threads_of(executor_, [&] {
            parallel_for(portions, 1, [&](std::int64_t k) {
                auto const p = static_cast<std::size_t>(k);
                std::fill_n(sums[p].data(), sums[p].size(), T(0));
                if (a_) scatter_rows_columns(*a_, parts[p], parts[p + 1], x_, sums[p].data(), step_);
            });
            for_stretches(y_rows_, 256, [&](std::int64_t first, std::int64_t last) {
                T* const all = sums.front().data();
                for (std::size_t k = 1; k < sums.size(); ++k)
                    for (std::int64_t i = first * step_; i < last * step_; ++i) all[i] += sums[k].data()[i];
                write_columns(y_.from(first), all + first * step_, step_, last - first);
            });
        });
    }

  private:
    static constexpr std::int64_t slots_together = 128;

    std::vector<std::int64_t> parts_of(std::int64_t wanted) const {
        return stretch_parts(a_->row_count, wanted, [&](std::int64_t slot) { return a_->work_before(slot); });
    }
    void multiply(std::int64_t begin, std::int64_t end, T* sums) const {
        multiply_rows_columns(*a_, begin, end, x_, sums, step_);
        if (!a_->rows) return write_columns(y_.from(begin), sums, step_, end - begin);
        for (std::int64_t i = begin; i < end; ++i)
            write_columns(y_.from(a_->rows[i]), sums + (i - begin) * step_, step_, 1);
    }

    cpu& executor_;
    row_slots<T> const* a_;
    column_rows<T> x_;
    column_output<T> y_;
    std::int64_t y_rows_;
    std::int64_t step_;
};

/// Throws what a product throws before anything is started.
template <class Executor, row_format Matrix, class T = typename Matrix::value_type>
void check_flat_columns(Executor const& executor, Matrix const& a, dense_view<T const> const& x,
                        dense_view<T> const& y) {
    check_space("spmm", a.space(), "A", executor.memory()->space());
    check_columns<T>("spmm", a.row_count(), a.column_count(), x, y, executor.memory()->space());
}

template <row_format Matrix, class T, any_executor Executor>
void multiply_flat_columns(Executor& executor, T alpha, Matrix const& a, dense_view<T const> const& x, T beta,
                           dense_view<T> const& y) {
    nvtx_range const range(nvtx_room::algebra, "copse spmm", a.entry_count());
    check_flat_columns(executor, a, x, y);
    if (y.extent() == 0) return;
    bool const reads_matrix = alpha != T(0) && a.entry_count() > 0;
    bool const by_rows = reads_matrix && !a.is_transposed();
    T const factor = product_factor(alpha, a.scale());
    row_slots<T> const rows(a.content()->view());
    std::int64_t const m = y.row_count();
    if constexpr (std::same_as<Executor, cpu>) {
        for_each_column_stretch(
            x, y, factor, beta, columns_together<T>, [&](column_operands<T> const& of, std::int64_t c) {
                rows_of_columns<T> const of_x(executor, x, c, reads_matrix ? of.columns() : 0);
                column_rows<T> const x_rows{of_x.rows().x, of_x.rows().x_step, of.columns()};
                flat_columns_on_cpu<T> const product(executor, reads_matrix ? &rows : nullptr, x_rows, of.y, m);
                by_rows ? product.multiply() : product.scatter();
            });
    } else {
        buffer<T> const sums(temporary_memory(executor), by_rows ? 0 : m * lane_columns<T>);
        std::int64_t const items = reads_matrix ? (rows.row_count + slots_at_once<T> - 1) / slots_at_once<T> : 0;
        auto const run_on = [&](auto const&... of_run) { return run(executor, of_run...); };
        for_each_column_stretch(x, y, factor, beta, lane_columns<T>, [&](column_operands<T> const& of, std::int64_t) {
            using write = write_columns_task<T>;
            if (by_rows) {
                run_ranges(run_on, task_range<flat_columns_task<T>>{{rows, of}, items});
            } else {
                scale_output<T> const clear{sums.data(), sums.size(), T(0)};
                run_ranges(run_on, task_range<scale_output<T>>{clear, stretches(clear.size, clear.stretch)},
                           task_range<flat_columns_scatter_task<T>>{{rows, of, sums.data()}, items},
                           task_range<write>{{of, sums.data(), lane_columns<T>, m}, stretches(m, write::stretch)});
            }
        });
    }
}

}  // namespace copse::detail

namespace copse {

template <row_format Matrix, any_executor Executor>
void spmm(Executor& executor, typename Matrix::value_type alpha, Matrix const& a,
          dense_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
          dense_view<typename Matrix::value_type> y) {
    if constexpr (!detail::can_run_on<Executor>)
        detail::refuse_without_cuda("spmm");
    else
        detail::multiply_flat_columns<Matrix, typename Matrix::value_type>(executor, alpha, a, x, beta, y);
}

template <row_format Matrix, any_executor Executor>
void spmm(Executor& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
          dense_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
          dense_view<typename Matrix::value_type> y) {
    content_of(plan);  // of a plan that was moved from: says so
    if constexpr (detail::can_run_on<Executor>) detail::check_flat_columns(executor, plan.matrix(), x, y);
    spmm(executor, alpha, detail::flat_direction_of(executor, plan).matrix.scaled(plan.matrix().scale()), x, beta, y);
}

namespace detail {

template <any_executor Executor, class... Types>
struct compiled_flat_spmm {
    template <class Matrix, class T = typename Matrix::value_type>
    static constexpr auto of() {
        using one_shot = void (*)(Executor&, T, Matrix const&, dense_view<T const>, T, dense_view<T>);
        using by_plan = void (*)(Executor&, T, flat_plan<Matrix> const&, dense_view<T const>, T, dense_view<T>);
        return std::make_tuple(static_cast<one_shot>(&spmm<Matrix, Executor>),
                               static_cast<by_plan>(&spmm<Matrix, Executor>));
    }
    static constexpr auto functions = std::make_tuple(of<csr_matrix<Types>>()..., of<sellp<Types>>()...);
};

template <class T, template <class...> class List>
using flat_scatter_tasks = List<scale_output<T>, flat_columns_scatter_task<T>, write_columns_task<T>>;

/// For the device controller.
template <template <class...> class List>
using flat_spmm_runs = std::tuple<List<flat_columns_task<float>>, List<flat_columns_task<double>>,
                                  flat_scatter_tasks<float, List>, flat_scatter_tasks<double, List>>;

}  // namespace detail
}  // namespace copse
