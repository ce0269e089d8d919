// The sums of a program: who takes part in one, and its race.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/product.hpp"
#include "bench/gpu_comparison/program.hpp"
#include "bench/gpu_comparison/sum.hpp"

namespace copse::bench {

/// Ways to a sum that the program does not leave out: cuSPARSE's, then HiSparse's under each controller; all_ways: made
/// in other ways, too.
template <class T>
std::vector<sum_way<T>> sum_ways(gpu_program& program, sum_on_gpu<T> const& what, bool all_ways = false) {
    std::vector<sum_way<T>> found;
    if (program.cusparse()) found = cusparse_sums(*program.cusparse(), program.executor(), what);
    for (auto const& name : program.arguments().controllers) {
        controller const which = controller_named(name);
        auto const ours = [&](hisparse_sum_way const& how) {
            found.push_back(hisparse_sum(program.executor(), what, which, how));
        };
        ours({});
        if (!all_ways) continue;
        ours({.name = ", nodes counted behind", .choices = {.counts_at_once = false}});
        if (which == controller::device || std::is_same_v<T, float>) continue;
        ours({.name = ", two pairs a block", .tasks = sum_tasks::by_halves});
        ours({.name = ", streaks as intervals", .tasks = sum_tasks::by_intervals});
    }
    std::erase_if(found, [&](auto const& one) { return program.is_left_out(one.record.name()); });
    return found;
}

/// Their race over all sets of operands; ways whose record has a failure are absent. The records are in the program's
/// file. Throws gpu_lost.
template <class T>
void race_in(gpu_program& program, sum_check<T> const& check, std::vector<sum_way<T>> ways,
             std::vector<sum_on_gpu<T>> const& sets) {
    gpu_entrants all;
    for (auto& way : ways) {
        if (!way.record.failure.empty()) {
            all.push_back(std::make_unique<absent>(std::move(way.record)));
            continue;
        }
        std::vector<std::unique_ptr<gpu_sum<T>>> of_set;
        for (auto const& what : sets) of_set.push_back(way.make(what));
        all.push_back(
            std::make_unique<sum_entrant<T>>(program.clock(), std::move(way.record), std::move(of_set), check));
    }
    program.race(all);
}

}  // namespace copse::bench
