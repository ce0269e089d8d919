// Setting up a product for an executor: checks, queue bounds, seeds. Included where run() for that executor is
// compiled.
#pragma once

#include <copse/algebra/products/check_operands.hpp>
#include <copse/algebra/products/inner_nodes.hpp>
#include <copse/algebra/products/product_factor.hpp>
#include <copse/algebra/products/spmv_tasks.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/nvtx.hpp>
#include <copse/runtime/report.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/seed.hpp>
#include <tuple>
#include <type_traits>

namespace copse::detail {

template <class T>
void check_product(hisparse<T> const& a, vector_view<T const> x, vector_view<T> y, memory_space space) {
    check_space("spmv", a.space(), "A", space);
    check_product("spmv", a.row_count(), a.column_count(), x, y, space);
}

template <class Task, class T>
Task make_node_task(leaf_product<T> const& product) {
    Task task;
    if constexpr (requires { task.product; })
        task.product = product;
    else
        task.tree = product.tree;
    return task;
}

/// Calls f(options, seeds, tasks...): y <- factor * op(A) * x + beta * y without A's scale, ready for run(). The factor
/// is finite.
template <class T, class F>
run_report with_spmv_run(T factor, bool reads_matrix, hisparse<T> const& a, vector_view<T const> x, T beta,
                         vector_view<T> y, F f) {
    scale_output<T> const scale{y.data(), y.size(), beta};
    leaf_product<T> const product{a.tree(), x.data(), y.data(), a.row_count(), a.column_count(), factor};
    auto call = [&]<class... NodeTasks>(task_list<scale_output<T>, NodeTasks...>) {
        run_options options;
        options.template capacity<scale_output<T>>(0, 0, 1);
        (options.template capacity<NodeTasks>(NodeTasks::visits(a.census()), 0, 0), ...);
        auto const seeds = seed_range<scale_output<T>>(0, beta == T(1) ? 0 : stretches(y.size(), scale.stretch)) +
                           seed_root<NodeTasks...>(reads_matrix ? a.root() : node{});
        return f(options, seeds, scale, make_node_task<NodeTasks>(product)...);
    };
    return call(spmv_tasks<T, task_list>{});
}

/// run_tasks(options, seeds, tasks...): run() on the executor.
template <class T, class Executor, class Run>
run_report multiply_tree_on(Executor const& executor, T alpha, hisparse<T> const& a, vector_view<T const> x, T beta,
                            vector_view<T> y, Run run_tasks) {
    nvtx_range const range("copse spmv");
    check_product(a, x, y, executor.memory()->space());
    return multiply_by_sums(
        temporary_memory(executor), product_factor(alpha, a.scale()), beta, y,
        [&](T factor, T own_beta, vector_view<T> to) {
            return with_spmv_run(factor, alpha != T(0), a, x, own_beta, to, run_tasks);
        },
        [&](task_range<scale_sums<T>> const& sums) { return run_ranges(run_tasks, sums); });
}

}  // namespace copse::detail
