// Products with several columns, compiled for every executor: copse_add_operation() in this room's CMakeLists.txt.
#pragma once

#include <algorithm>
#include <concepts>
#include <copse/algebra/columns/check_columns.hpp>
#include <copse/algebra/columns/column_stretches.hpp>
#include <copse/algebra/columns/column_tasks.hpp>
#include <copse/algebra/columns/columns_cpu.hpp>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/products/product_factor.hpp>
#include <copse/algebra/spmm.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstdint>
#include <tuple>
#include <type_traits>
#if defined(__CUDACC__)
#include <copse/algebra/plans/replay_on_stream.cuh>
#include <copse/runtime/gpu/state.cuh>
#include <copse/runtime/gpu_run.cuh>
#endif

namespace copse::detail {

/// f(options, seeds, tasks...), ready for run(). root: none where A is not read.
template <class T, class V, class F>
run_report with_columns_run(columns_product<T, V> const& product, node root, node_census const& census, F f) {
    using clear = scale_output<V>;
    using write = write_columns_task<V>;
    auto const make = [&]<class Task>() {
        Task task;
        if constexpr (requires { task.product; })
            task.product = product;
        else
            task.tree = product.tree;
        return task;
    };
    auto const call = [&]<class... NodeTasks>(task_list<clear, write, NodeTasks...>) {
        run_options options;
        options.template capacity<clear>(0, 0, 1);
        options.template capacity<write>(0, 0, 1);
        (options.template capacity<NodeTasks>(NodeTasks::visits(census), 0, 0), ...);
        clear const zero{product.sums, product.m * product.step, V(0)};
        auto const seeds = seed_range<clear>(0, stretches(zero.size, zero.stretch)) +
                           seed_range<write>(0, stretches(product.m, write::stretch)) + root_seeds<NodeTasks...>(root);
        return f(options, seeds, zero, write{product.of, product.sums, product.step, product.m},
                 make.template operator()<NodeTasks>()...);
    };
    return call(typename spmm_lists<T, V, task_list>::tasks());
}

inline void add_report(run_report& all, run_report const& one) {
    all.queues.insert(all.queues.end(), one.queues.begin(), one.queues.end());
    all.seconds += one.seconds;
}

template <class T, class V, any_executor Executor>
run_report multiply_columns(Executor& executor, V alpha, hisparse<T> const& a, dense_view<V const> x, V beta,
                            dense_view<V> y) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("spmm");
    } else {
        nvtx_range const range(nvtx_room::algebra, "copse spmm", a.entry_count());
        check_space("spmm", a.space(), "A", executor.memory()->space());
        check_columns<V>("spmm", a.row_count(), a.column_count(), x, y, executor.memory()->space());
        bool constexpr on_core = std::same_as<Executor, cpu>;
        int constexpr at_once = on_core ? columns_together<V> : lane_columns<V>;
        std::int64_t const step =
            on_core ? sums_step<V>(std::min<std::int64_t>(at_once, y.column_count())) : lane_columns<V>;
        bool const reads_matrix = alpha != V(0);
        V const factor = product_factor(alpha, static_cast<V>(a.scale()));
        run_report report;
        if (y.extent() == 0) return report;
        buffer<V> const sums(temporary_memory(executor), y.row_count() * step);
        for_each_column_stretch(x, y, factor, beta, at_once, [&](column_operands<V> of, std::int64_t c) {
            auto const multiply = [&] {
                columns_product<T, V> const product{reader_of(*a.content()), of, sums.data(), step, a.row_count()};
                add_report(report, with_columns_run(product, reads_matrix ? a.root() : node{}, a.census(),
                                                    [&](auto const&... of_run) { return run(executor, of_run...); }));
            };
            if constexpr (on_core) {
                rows_of_columns<V> const rows(executor, x, c, reads_matrix ? of.columns() : 0);
                of.x = rows.rows().x;
                of.x_row_step = rows.rows().x_step;
                of.x_column_step = 1;
                multiply();
            } else {
                multiply();
            }
        });
        return report;
    }
}

#if !defined(__CUDACC__)
void wait_for_stream(gpu& executor);
#endif

template <class T, class V, any_executor Executor>
void replay_columns(Executor& executor, V alpha, spmv_plan<T> const& plan, dense_view<V const> x, V beta,
                    dense_view<V> y) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("spmm");
    } else {
        content_of(plan);  // of a plan that was moved from: says so
        memory_space const space = executor.memory()->space();
        check_space("spmm", plan.matrix().space(), "the plan's matrix", space);
        check_columns<V>("spmm", plan.row_count(), plan.column_count(), x, y, space);
        if (y.extent() == 0) return;
        if constexpr (std::same_as<Executor, cpu>) {
            replay_columns_on_cpu<T, V>(executor, alpha, plan, x, beta, y);
        } else {
            nvtx_range const range(nvtx_room::algebra, "copse replay columns", plan.matrix().entry_count());
            plan_direction const& lists = direction_of(executor, plan);
            check_rows_of_parts("spmm", lists);
            auto const product = replay_of<T, V>(plan, alpha, {}, beta, {});
            buffer<lane_row<V>> const slots(temporary_memory(executor),
                                            lists.slot_count << product.tree.dimension_log2());
            for_each_column_stretch(
                x, y, product.factor, beta, lane_columns<V>, [&](column_operands<V> const& of, std::int64_t) {
                    using part = columns_part_task<T, V>;
                    using split = columns_split_task<T, V>;
                    part const parts{product, of, slots.data()};
                    split const splits{product, of, slots.data()};
                    if constexpr (std::same_as<Executor, emulated>) {
                        run(executor, seed_range<part>(0, lists.part_count) + seed_range<split>(0, lists.split_count),
                            parts, splits);
                    } else {
#if defined(__CUDACC__)
                        current_device const current(state_of(executor).device());
                        launch_plain(parts, lists.part_count, state_of(executor).stream());
                        launch_plain(splits, lists.split_count, state_of(executor).stream());
#endif
                    }
                });
            if constexpr (std::same_as<Executor, gpu>) wait_for_stream(executor);
        }
    }
}

template <any_executor Executor, class... Types>
struct compiled_spmm {
    template <class T>
    static constexpr auto of() {  // values of float multiply X and Y of double, too
        return std::make_tuple(&multiply_columns<T, T, Executor>, &multiply_columns<T, double, Executor>,
                               &replay_columns<T, T, Executor>, &replay_columns<T, double, Executor>);
    }
    static constexpr auto functions = std::make_tuple(of<Types>()...);
};

}  // namespace copse::detail
