// Directions of plans made where the executor works (lists_by_steps.hpp), compiled for emulated and gpu:
// copse_add_operation() in this room's CMakeLists.txt.
#pragma once

#include <concepts>
#include <copse/algebra/plans/lists_by_steps.hpp>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/formats/steps/steps_on.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <memory>
#include <tuple>

namespace copse::detail {

template <class T, lanes_executor Executor>
std::unique_ptr<direction_content> direction_from_leaves(Executor& executor, plan_content<T> const& plan,
                                                         recorded_leaves const& recorded, bool of_transpose) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("spmv_plan");
    } else {
        if (!made_by_steps(plan.shape)) return nullptr;
        steps_on<Executor> steps(executor);
        return direction_by_steps<T, steps_on<Executor>>(steps, plan, of_transpose)
            .make(recorded.leaves, recorded.count, of_transpose);
    }
}

template <class T, lanes_executor Executor>
std::unique_ptr<direction_content> direction_from_other(plan_content<T> const& plan, bool of_transpose) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("spmv_plan");
    } else {
        steps_on<Executor> steps(plan.where);
        buffer<node> const leaves =
            leaves_by_steps(steps, *plan.directions[!of_transpose].made(), plan.matrix->dimension_log2);
        return direction_by_steps<T, steps_on<Executor>>(steps, plan, of_transpose).make(leaves, leaves.size(), true);
    }
}

template <any_executor Executor, class... Types>
struct compiled_plan_steps {
    template <class T>
    static constexpr auto of() {
        if constexpr (std::same_as<Executor, cpu>)
            return 0;
        else
            return std::make_tuple(&direction_from_leaves<T, Executor>, &direction_from_other<T, Executor>);
    }
    static constexpr auto functions = std::make_tuple(of<Types>()...);
};

}  // namespace copse::detail
