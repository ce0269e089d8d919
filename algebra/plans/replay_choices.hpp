// What replaying on a GPU may do one way or the other. The defaults are what products do; measurements take others.
#pragma once

#include <copse/algebra/plans/plan_grid.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/scheduler/add_in_order.hpp>

namespace copse::detail {

struct replay_choices {
    plan_grid grid = plan_grid::resident;
    conflicts row_conflicts = conflicts::in_turns;  // entries of a list in the same row
    bool fetch_ahead = true;                        // L2 is asked for the next leaf while the lanes are at work on one
};

/// spmv_async() with a plan, as chosen: for measurements. Throws what it throws.
template <class T>
void replay_on_gpu(gpu& executor, T alpha, spmv_plan<T> const& plan, vector_view<T const> x, T beta, vector_view<T> y,
                   replay_choices const& choices);

}  // namespace copse::detail
