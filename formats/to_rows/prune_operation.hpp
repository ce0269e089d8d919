// Zeros dropped, compiled for every executor: copse_add_operation() in this room's CMakeLists.txt.
#pragma once

#include <copse/formats/prune.hpp>
#include <copse/formats/steps/steps_on.hpp>
#include <copse/formats/to_rows/prune_run.hpp>
#include <copse/runtime/nvtx.hpp>
#include <tuple>

namespace copse {

template <class T, any_executor Executor>
hisparse<T> prune(Executor& executor, hisparse<T> const& a, prune_options options) {
    nvtx_range const range("copse prune");
    if constexpr (!detail::can_run_on<Executor>) {
        detail::refuse_without_cuda("prune");
    } else if constexpr (std::same_as<Executor, cpu>) {
        return detail::prune_list(executor, a, options);
    } else {
        detail::steps_on<Executor> steps(executor);
        return detail::prune_rows(executor, steps, a, options);
    }
}

namespace detail {

template <any_executor Executor>
struct compiled_prune {
    static constexpr auto functions = std::make_tuple(&prune<float, Executor>, &prune<double, Executor>);
};

}  // namespace detail
}  // namespace copse
