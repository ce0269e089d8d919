#include "cli/race.hpp"

#include <algorithm>
#include <copse/cpu/reference.hpp>
#include <utility>

#include "cli/timing.hpp"

namespace copse::measure {
namespace {

/// The seconds of one run, which is checked.
template <class T>
double run_once(competitor<T>& c, expectation<T> const& expected) {
    c.what->prepare();
    // A clock that has not moved would make an infinite speed.
    double const seconds = std::max(seconds_of([&] { c.what->run(); }), 1e-9);
    auto const y = c.what->result();
    c.record.max_error = std::max(c.record.max_error, reference::max_error<T>(y, expected.y, expected.bound));
    return seconds;
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

template <class T>
void run_in_turn(std::vector<competitor<T>>& competitors, expectation<T> const& expected, int repeats) {
    std::vector<std::vector<double>> times(competitors.size());
    for (auto& c : competitors) c.record.first_seconds = run_once(c, expected);
    for (int round = 0; round < repeats; ++round)
        for (std::size_t i = 0; i < competitors.size(); ++i)
            if (competitors[i].record.is_right()) times[i].push_back(run_once(competitors[i], expected));
    for (std::size_t i = 0; i < competitors.size(); ++i) record_times(competitors[i].record, std::move(times[i]));
}

double quantile(std::vector<double> const& sorted, double p) {
    double const position = p * static_cast<double>(sorted.size() - 1);
    auto const below = static_cast<std::size_t>(position);
    auto const above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

template void run_in_turn(std::vector<competitor<float>>&, expectation<float> const&, int);
template void run_in_turn(std::vector<competitor<double>>&, expectation<double> const&, int);

}  // namespace copse::measure
