// Setting up a product for an executor: checks, queue bounds, seeds. Included where run() for that executor is
// compiled.
#pragma once

#include <copse/algebra/spmv_tasks.hpp>
#include <copse/algebra/inner_nodes.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/report.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/seed.hpp>
#include <string>
#include <tuple>
#include <type_traits>

namespace copse::detail {

inline void check_space(std::string const& operation, memory_space given, std::string const& what, memory_space wanted) {
    auto const name = [](memory_space space) { return space == memory_space::host ? "host" : "device"; };
    if (given != wanted)
        throw argument_error(operation + ": " + what + " is in " + name(given) + " memory, the executor works in " +
                             name(wanted) + " memory; make it with the same executor (copse::buffer, copse::hisparse)");
}

/// For y <- op(A) x, op(A) rows x columns.
template <class V>
void check_product(std::string const& operation, std::int64_t rows, std::int64_t columns, vector_view<V const> x,
                   vector_view<V> y, memory_space space) {
    auto const check_size = [&](char const* name, std::int64_t size, std::int64_t wanted) {
        if (size != wanted)
            throw shape_error(operation + ": op(A) is " + std::to_string(rows) + " x " + std::to_string(columns) +
                              ", so " + name + " must have " + std::to_string(wanted) + " elements; it has " +
                              std::to_string(size));
    };
    check_size("x", x.size(), columns);
    check_size("y", y.size(), rows);
    check_space(operation, x.space(), "x", space);
    check_space(operation, y.space(), "y", space);
    if (x.size() > 0 && y.size() > 0 && x.data() < y.data() + y.size() && y.data() < x.data() + x.size())
        throw argument_error(operation + ": x and y overlap; give y memory of its own");
}

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
