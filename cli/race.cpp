#include "cli/race.hpp"

#include <algorithm>
#include <utility>

#include "cli/host_peak.hpp"
#include "cli/timing.hpp"

namespace copse::measure {
namespace {

/// The seconds of one run.
double run_once(entrant const& e, bool is_checked) {
    e.what.prepare();
    // A clock that has not moved would make an infinite speed.
    double const seconds = std::max(e.what.time_run(), 1e-9);
    if (is_checked) e.record.max_error = std::max(e.record.max_error, e.error());
    return seconds;
}

void record_memory(entrant const& e) {
    e.what.prepare();
    e.record.memory = {host_peak_bytes_of([&] { e.what.run(); })};
    e.record.max_error = std::max(e.record.max_error, e.error());
}

void record_times(measurement& m, std::vector<double> times) {
    m.repeats = static_cast<int>(times.size());
    if (times.empty()) times.push_back(m.first_seconds);
    std::sort(times.begin(), times.end());
    m.seconds = quantile(times, 0.5);
    m.min_seconds = times.front();
    m.max_seconds = times.back();
    m.spread = (quantile(times, 0.75) - quantile(times, 0.25)) / m.seconds;
}

}  // namespace

double work::time_run() {
    return seconds_of([&] { run(); });
}

void take_turns(std::vector<entrant> const& entrants, int repeats, checks which, memory_run memory) {
    std::vector<std::vector<double>> times(entrants.size());
    for (auto const& e : entrants) e.record.first_seconds = run_once(e, true);
    for (int round = 0; round < repeats; ++round) {
        bool const is_checked = which == checks::every_run || round == repeats - 1;
        for (std::size_t i = 0; i < entrants.size(); ++i)
            if (entrants[i].record.is_right()) times[i].push_back(run_once(entrants[i], is_checked));
    }
    for (std::size_t i = 0; i < entrants.size(); ++i) record_times(entrants[i].record, std::move(times[i]));
    for (auto const& e : entrants)
        if (memory == memory_run::last && e.record.is_right()) record_memory(e);
}

double quantile(std::vector<double> const& sorted, double p) {
    double const position = p * static_cast<double>(sorted.size() - 1);
    auto const below = static_cast<std::size_t>(position);
    auto const above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace copse::measure
