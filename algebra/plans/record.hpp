// Which leaves a product meets: one traversal by the scheduler, whose leaves' task writes them down. Included where
// run() for an executor is compiled.
#pragma once

#include <copse/algebra/products/inner_nodes.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace copse::detail {

struct record_leaf {
    using item = node;
    static constexpr int width = 1;
    static constexpr char const* name = "record leaf";

    node* leaves;
    std::int64_t* count;

    COPSE_HOST_DEVICE static bool takes(child_reference r) { return r.is_leaf(); }
    static std::int64_t visits(node_census const& census) {
        std::int64_t sum = census.wide_leaves();
        for (int kind = 0; kind < node_kind_count; ++kind) sum += census.leaves(static_cast<node_kind>(kind));
        return sum;
    }

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item n, Worker& w) const {
        leaves[w.fetch_add(count, 1)] = n;
    }
};

using recorded_leaves = task_list<record_leaf>;
/// In the order in which run() gets them.
template <template <class...> class List>
using record_tasks =
    List<inner_dense<recorded_leaves>, inner_many<recorded_leaves>, inner_few<recorded_leaves>, record_leaf>;
/// For the device controller.
template <template <class...> class List>
using spmv_plan_runs = record_tasks<List>;

/// All leaves of op(A), each time that a traversal meets them, in any order. run_tasks(options, seeds, tasks...):
/// run().
template <class Executor, class T, class Run>
std::vector<node> record_leaves(Executor& executor, hisparse<T> const& a, Run run_tasks) {
    if (!a.root()) return {};
    std::int64_t const most = record_leaf::visits(a.census());
    auto const& temporary = temporary_memory(executor);
    std::int64_t const none = 0;
    buffer<node> const leaves(temporary, most);
    buffer<std::int64_t> const count(temporary, std::span(&none, 1));
    auto const make = [&]<class Task>() {
        if constexpr (std::is_same_v<Task, record_leaf>)
            return record_leaf{leaves.data(), count.data()};
        else
            return Task{{}, a.tree()};
    };
    auto call = [&]<class... Tasks>(task_list<Tasks...>) {
        run_options options;
        (options.template capacity<Tasks>(Tasks::visits(a.census()), 0, 0), ...);
        run_tasks(options, seed_root<Tasks...>(a.root()), make.template operator()<Tasks>()...);
    };
    call(record_tasks<task_list>{});
    std::vector<node> result(static_cast<std::size_t>(count.to_host().front()));
    leaves.read(0, result);
    return result;
}

}  // namespace copse::detail
