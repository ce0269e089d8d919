// Times of one competitor, and what a record gets of them.
#pragma once

#include <copse/runtime/report.hpp>
#include <cstddef>
#include <optional>
#include <vector>

#include "bench/gpu_comparison/clock.hpp"
#include "bench/gpu_comparison/record.hpp"

namespace copse::bench {

struct race_times {
    std::vector<double> seconds;  // by the record's clock
    std::vector<double> events;
    // Of reports, where there are any: the run's seconds, and sums over its queues.
    std::vector<double> run, tasks, batches, launches;
    double total = 0;

    void add(call_seconds const& call, bool by_wall, std::optional<run_report> const& report = std::nullopt);
};

/// Medians and spread into the record, which stays as it is without any.
void record_times(gpu_record& r, race_times& t);

/// All are checked, timed in turns, and checked again; then their records have their times. A race has
///   check_first(competitor)    time_once(competitor, times)    check_again(competitor)
template <class Race, class Competitor>
void take_turns(Race& race, std::vector<Competitor>& competitors, int rounds) {
    std::vector<race_times> all(competitors.size());
    for (auto& c : competitors) race.check_first(c);
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < competitors.size(); ++i) race.time_once(competitors[i], all[i]);
    for (std::size_t i = 0; i < competitors.size(); ++i) {
        race.check_again(competitors[i]);
        record_times(competitors[i].record, all[i]);
    }
}

/// "[copse csr5 plan] in A x of dense:4, double": who hangs, as the last line of a program has it.
std::string race_name(gpu_record const& r);

}  // namespace copse::bench
