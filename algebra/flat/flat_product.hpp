// What a flat format brings for its products on executors with many lanes (emulated, gpu): lanes_product<csr5<T>>, in
// csr5_tasks.hpp. cpu/flat/cpu_product.hpp has what it brings for the cpu.
//
// The products themselves (multiply_on() below, flat_spmv_operation.hpp) check operands, apply the
// state, and see to it that A is not looked at where alpha is 0, and that the factor is finite (product_factor.hpp).
#pragma once

#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/products/check_operands.hpp>
#include <copse/algebra/products/element_ranges.hpp>
#include <copse/algebra/products/product_factor.hpp>
#include <copse/cpu/flat/operands.hpp>
#include <copse/formats/flat_formats.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstdint>
#include <memory>
#include <tuple>

namespace copse::detail {

/// Stretches of y, for products that add to it.
template <class T>
task_range<scale_output<T>> scaling_of(flat_product<T> const& p, std::int64_t size) {
    scale_output<T> const scale{p.y, size, p.beta};
    return {scale, p.beta == T(1) ? 0 : stretches(size, scale.stretch)};
}

/// For a Matrix whose values are of type T:
///
///   static run_report multiply(content const&, std::shared_ptr<memory> const& workspace, flat_product<T> const&, F f);
///     Calls f(task_range...) with the tasks that write all of y, and returns its result; memory that the tasks share
///     is the workspace's until f is back. No atomics on values: sums of rows that several items share have one order.
///   static run_report scatter(content const&, std::int64_t y_size, bool reads_matrix, flat_product<T> const&, F f);
///     The same for y <- factor * A^T * x + beta * y: scaling_of() first, then tasks of a later phase that add to y by
///     w.add(). Where reads_matrix is false these have no items.
///
///   template <template <class...> class List> using runs = std::tuple<List<...>, ...>;
///     The tasks of all runs that f may get, in order: for the device controller.
template <class Matrix>
struct lanes_product;

template <template <class...> class List>
struct flat_runs {
    template <class... Matrix>
    using of = std::tuple<typename lanes_product<Matrix>::template runs<List>...>;
};
/// For the device controller: those of every format, whose tasks are included by copse_add_operation().
template <template <class...> class List>
using flat_spmv_runs =
    std::tuple<flat_matrices<float, flat_runs<List>::template of>, flat_matrices<double, flat_runs<List>::template of>>;

template <flat_format Matrix, class T = typename Matrix::value_type>
void check_product(Matrix const& a, vector_view<T const> x, vector_view<T> y, memory_space space) {
    check_space("spmv", a.space(), "A", space);
    check_product("spmv", a.row_count(), a.column_count(), x, y, space);
}

/// f(task_range...) for the whole product, twice where the factor is not finite. What tasks share beside operands comes
/// from `workspace`, and goes back there when f is done.
template <flat_format Matrix, class T = typename Matrix::value_type, class F>
run_report with_lanes(std::shared_ptr<memory> const& workspace, T alpha, Matrix const& a, vector_view<T const> x,
                      T beta, vector_view<T> y, F f) {
    using product = lanes_product<Matrix>;
    bool const reads_matrix = alpha != T(0) && a.entry_count() > 0;
    auto const multiply = [&](T factor, T own_beta, vector_view<T> to) {
        flat_product<T> const p{x.data(), to.data(), factor, own_beta};
        if (reads_matrix && !a.is_transposed()) return product::multiply(*a.content(), workspace, p, f);
        return product::scatter(*a.content(), to.size(), reads_matrix, p, f);
    };
    return multiply_by_sums(workspace, product_factor(alpha, a.scale()), beta, y, multiply, f);
}

/// run_tasks(options, seeds, tasks...): run() on the executor.
template <flat_format Matrix, class T = typename Matrix::value_type, class Executor, class Run>
run_report multiply_on(Executor const& executor, T alpha, Matrix const& a, vector_view<T const> x, T beta,
                       vector_view<T> y, Run run_tasks) {
    nvtx_range const range(nvtx_room::algebra, "copse spmv", a.entry_count());
    check_product(a, x, y, executor.memory()->space());
    return with_lanes(
        temporary_memory(executor), alpha, a, x, beta, y,
        [&]<class... Tasks>(task_range<Tasks> const&... ranges) { return run_ranges(run_tasks, ranges...); });
}

}  // namespace copse::detail
