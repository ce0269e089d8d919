// Products of flat formats on executors with many lanes. Included where run() for the executor is compiled.
#pragma once

#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/products/check_operands.hpp>
#include <copse/algebra/products/product_factor.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/nvtx.hpp>
#include <memory>

namespace copse::detail {

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
    nvtx_range const range("copse spmv");
    check_product(a, x, y, executor.memory()->space());
    return with_lanes(
        temporary_memory(executor), alpha, a, x, beta, y,
        [&]<class... Tasks>(task_range<Tasks> const&... ranges) { return run_ranges(run_tasks, ranges...); });
}

}  // namespace copse::detail
