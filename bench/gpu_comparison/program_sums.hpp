// The sums of a program: who takes part in one, and its race.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/program.hpp"
#include "bench/gpu_comparison/sum.hpp"
#include "bench/harness/target.hpp"

namespace copse::bench {

/// Those that the program does not leave out: cuSPARSE's, then HiSparse's under each controller. Where there are no
/// trees the records of these have `failure`.
template <class T>
std::vector<sum_competitor<T>> sum_competitors(gpu_program& program, sum_on_gpu<T> const& what,
                                               std::string const& failure = "") {
    std::vector<sum_competitor<T>> found;
    if (program.cusparse()) found = cusparse_sums(*program.cusparse(), program.executor(), what);
    for (auto const& name : program.arguments().controllers)
        found.push_back(hisparse_sum(program.executor(), what, measure::controller_named(name), failure));
    std::erase_if(found, [&](auto const& one) { return program.is_left_out(one.record.name()); });
    return found;
}

/// The same of all sets of operands.
template <class T>
std::vector<sum_competitor<T>> sum_competitors(gpu_program& program, sum_operands<T> const& operands, bool transpose_a,
                                               bool transpose_b) {
    auto found = sum_competitors(program, sum_of(operands, transpose_a, transpose_b));
    for (int set = 1; set < static_cast<int>(operands.sets.size()); ++set)
        add_set(found, sum_competitors(program, sum_of(operands, transpose_a, transpose_b, set)));
    return found;
}

/// Their race; the records are in the program's file. Throws gpu_lost.
template <class T>
void race_in(gpu_program& program, sum_check<T> const& check, std::vector<sum_competitor<T>> competitors) {
    race_sums(program.clock(), check, competitors, {.repeats = program.arguments().repeats, .program = program.name()});
    std::vector<gpu_record> records;
    for (auto& one : competitors) records.push_back(std::move(one.record));
    program.keep(std::move(records));
}

}  // namespace copse::bench
