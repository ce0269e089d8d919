// Making and replaying plans on any executor. Included where run() for it is compiled.
#pragma once

#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/plans/record.hpp>
#include <copse/algebra/plans/replay.hpp>
#include <copse/algebra/products/product_factor.hpp>
#include <copse/algebra/products/spmv_run.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/nvtx.hpp>

namespace copse::detail {

template <class T>
plan_direction const& direction_of(spmv_plan<T> const& plan) {
    return *content_of(plan)->directions[plan.matrix().is_transposed() ? 1 : 0];
}

/// Throws what spmv() throws before anything is started. `slots` is left to the executor.
template <class T, class V>
replay<T, V> make_replay(V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta, vector_view<V> y,
                         memory_space space) {
    plan_direction const& lists = direction_of(plan);
    check_space("spmv", plan.matrix().space(), "the plan's matrix", space);
    check_product("spmv", plan.row_count(), plan.column_count(), x, y, space);
    return {.tree = content_of(plan)->tree(),
            .items = lists.items.data(),
            .item_count = lists.item_count,
            .parts = lists.parts.data(),
            .splits = lists.splits.data(),
            .x = x.data(),
            .x_size = x.size(),
            .y = y.data(),
            .factor = product_factor(alpha, static_cast<V>(plan.matrix().scale())),
            .beta = beta,
            .slots = nullptr,
            .reads_matrix = alpha != V(0)};
}

/// How the cpu executor cuts the plan for a matrix. Instantiated for float, double.
template <class T>
plan_shape cpu_shape(hisparse<T> const& a, int threads);

/// run_tasks(options, seeds, tasks...): run() on the executor.
template <class Executor, class T, class Run>
std::shared_ptr<plan_content<T> const> plan_on(Executor& executor, hisparse<T> const& a, plan_shape const& shape,
                                               Run run_tasks) {
    nvtx_range const range("copse spmv plan");
    check_space("spmv_plan", a.space(), "A", executor.memory()->space());
    auto const leaves = record_leaves(executor, hisparse<T>(a.content()), run_tasks);
    return on_threads_of(executor, [&] { return make_plan<T>(a.content(), leaves, shape, executor.memory()); });
}

}  // namespace copse::detail
