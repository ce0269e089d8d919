// Times of one competitor, and what a record gets of them.
#pragma once

#include <optional>
#include <vector>

#include "bench/gpu_comparison/clock.hpp"
#include "bench/gpu_comparison/record.hpp"

namespace copse::bench {

struct race_times {
    std::vector<double> seconds;  // by the record's clock
    std::vector<double> events;
    std::vector<double> run;  // run_report::seconds
    double total = 0;

    void add(call_seconds const& call, bool by_wall, std::optional<double> const& report = std::nullopt);
};

/// Medians and spread into the record, which stays as it is without any.
void record_times(gpu_record& r, race_times& t);

/// "[copse csr5 plan] in A x of dense:4, double": who hangs, as the last line of a program has it.
std::string race_name(gpu_record const& r);

}  // namespace copse::bench
