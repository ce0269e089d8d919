// Setting up a product for an executor: checks, queue bounds, seeds. Included where run() for that executor is
// compiled.
#pragma once

#include <copse/algebra/spmv_tasks.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/report.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/seed.hpp>
#include <string>
#include <tuple>
#include <type_traits>

namespace copse::detail {

template <class T>
void check_product(hisparse<T> const& a, vector_view<T const> x, vector_view<T> y, memory_space space) {
    auto const shape = std::to_string(a.row_count()) + " x " + std::to_string(a.column_count());
    if (x.size() != a.column_count())
        throw shape_error("spmv: op(A) is " + shape + ", so x must have " + std::to_string(a.column_count()) +
                          " elements; it has " + std::to_string(x.size()));
    if (y.size() != a.row_count())
        throw shape_error("spmv: op(A) is " + shape + ", so y must have " + std::to_string(a.row_count()) +
                          " elements; it has " + std::to_string(y.size()));
    auto check_space = [&](memory_space given, char const* what) {
        if (given != space)
            throw argument_error(std::string("spmv: ") + what + " is in " +
                                 (given == memory_space::host ? "host" : "device") + " memory, the executor works in " +
                                 (space == memory_space::host ? "host" : "device") +
                                 " memory; make it with the same executor (copse::buffer, copse::hisparse)");
    };
    check_space(a.space(), "A");
    check_space(x.space(), "x");
    check_space(y.space(), "y");
    if (x.size() > 0 && y.size() > 0 && x.data() < y.data() + y.size() && y.data() < x.data() + x.size())
        throw argument_error("spmv: x and y overlap; give y memory of its own");
}

/// The root, in the entry of the task that takes it; the others empty.
template <class... Tasks>
seed_list<Tasks...> seed_root(node root) {
    seed_list<Tasks...> seeds;
    auto place = [&]<class Task>(seed_entry<Task>& entry) {
        if constexpr (requires { Task::takes(root.reference); })
            if (root && Task::takes(root.reference)) entry.items.push_back(root);
    };
    std::apply([&](auto&... entry) { (place(entry), ...); }, seeds.entries);
    return seeds;
}

template <class... Tasks>
struct task_list {};

template <class Task, class T>
Task make_node_task(leaf_product<T> const& product) {
    Task task;
    if constexpr (requires { task.product; })
        task.product = product;
    else
        task.tree = product.tree;
    return task;
}

/// Calls f(options, seeds, tasks...): the whole product, ready for run().
template <class T, class F>
run_report with_spmv_run(T alpha, hisparse<T> const& a, vector_view<T const> x, T beta, vector_view<T> y, F f) {
    scale_output<T> const scale{y.data(), y.size(), beta};
    leaf_product<T> const product{a.tree(), x.data(), y.data(), a.row_count(), alpha * a.scale()};
    std::int64_t const stretches = (y.size() + scale.stretch - 1) / scale.stretch;
    auto call = [&]<class... NodeTasks>(task_list<scale_output<T>, NodeTasks...>) {
        run_options options;
        options.template capacity<scale_output<T>>(0, 0, 1);
        (options.template capacity<NodeTasks>(NodeTasks::visits(a.census()), 0, 0), ...);
        auto const seeds = seed_range<scale_output<T>>(0, beta == T(1) ? 0 : stretches) +
                           seed_root<NodeTasks...>(alpha != T(0) ? a.root() : node{});
        return f(options, seeds, scale, make_node_task<NodeTasks>(product)...);
    };
    return call(spmv_tasks<T, task_list>{});
}

}  // namespace copse::detail
