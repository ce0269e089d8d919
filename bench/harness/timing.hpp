// The wall clock, and the median of some calls.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace copse::bench {

/// Calls work() once; the wall-clock seconds it took.
template <class Work>
double seconds_of(Work const& work) {
    auto const start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Of the process's threads together, in programs and in the system, since it began.
inline double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    auto const seconds = [](timeval const& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// The p-quantile of a sorted list that is not empty, 0 <= p <= 1: linear between neighbours.
inline double quantile(std::vector<double> const& sorted, double p) {
    double const position = p * static_cast<double>(sorted.size() - 1);
    auto const below = static_cast<std::size_t>(position);
    auto const above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

struct timing {
    double median = 0;  // seconds
    double spread = 0;  // distance of the quartiles, as a fraction of the median
    double least = 0, most = 0;
};

/// Of a list that is not empty.
inline timing timing_of(std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    double const median = quantile(seconds, 0.5);
    double const spread = median > 0 ? (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / median : 0;
    return {median, spread, seconds.front(), seconds.back()};
}

/// call() gives the seconds of one call. One more, before, is not counted.
template <class Call>
timing timing_of(int repeats, Call const& call) {
    call();
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) seconds.push_back(call());
    return timing_of(std::move(seconds));
}

/// The same of work() as a whole.
template <class Work>
timing time_of(int repeats, Work const& work) {
    return timing_of(repeats, [&] { return seconds_of(work); });
}

}  // namespace copse::bench
