// Compaction, compiled for every executor: copse_add_operation() in this room's CMakeLists.txt.
#pragma once

#include <copse/algebra/compact.hpp>
#include <copse/algebra/values/compact_run.hpp>
#include <tuple>

namespace copse {

template <class T, any_executor Executor>
hisparse<T> compact(Executor& executor, hisparse<T> const& a, compact_options options) {
    if constexpr (!detail::can_run_on<Executor>)
        detail::refuse_without_cuda("compact");
    else
        return detail::compact_by_tasks(executor, a, options, [&](auto const&... run_of) { run(executor, run_of...); });
}

namespace detail {

template <any_executor Executor>
struct compiled_compact {
    static constexpr auto functions = std::make_tuple(&compact<float, Executor>, &compact<double, Executor>);
};
template <template <class...> class List>
using compact_runs = std::tuple<List<copy_leaves>>;

}  // namespace detail
}  // namespace copse
