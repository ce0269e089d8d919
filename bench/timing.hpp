// The median of some calls, and how far they lie apart.
#pragma once

#include <algorithm>
#include <vector>

#include "bench/harness/timing.hpp"

namespace copse::bench {

struct timing {
    double median = 0;  // seconds
    double spread = 0;  // distance of the quartiles, as a fraction of the median
};

/// call() gives the seconds of one call. One more, before, is not counted.
template <class Call>
timing timing_of(int repeats, Call const& call) {
    call();
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) times.push_back(call());
    std::sort(times.begin(), times.end());
    auto const at = [&](double part) { return times[static_cast<std::size_t>(part * (repeats - 1) + 0.5)]; };
    return {at(0.5), (at(0.75) - at(0.25)) / at(0.5)};
}

/// The same of work() as a whole.
template <class Work>
timing time_of(int repeats, Work const& work) {
    return timing_of(repeats, [&] { return seconds_of(work); });
}

}  // namespace copse::bench
