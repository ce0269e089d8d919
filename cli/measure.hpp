// Work that is run over and over: checked, timed, and asked for the memory that it takes at most.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/record.hpp"

namespace copse::cli {

/// Returns work(), and adds the wall-clock seconds that it took.
template <class Work>
auto timed(double& seconds, Work const& work) {
    struct clock {
        double& seconds;
        std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
        ~clock() { seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }
    } const running{seconds};
    return work();
}

/// Bytes of work() beside what was there before, as the system counts pages; none where it does not (Linux does).
/// Memory that this process keeps, but does not use, is given back to the system first. Other threads are counted, too.
std::optional<std::int64_t> host_peak_bytes_of(std::function<void()> const& work);

/// Of work(), beside what was there before; what the executor keeps from earlier work is given back first. On a GPU it
/// is what is in use of the executor's pool: buffers, matrices, and what operations take for themselves.
template <class Executor>
memory_peak memory_peak_of(Executor& executor, std::function<void()> const& work) {
    if constexpr (requires { executor.peak_bytes(); }) {
        executor.release_workspace();
        std::int64_t const before = executor.restart_peak();
        auto const of_host = host_peak_bytes_of(work);
        return {of_host, std::max<std::int64_t>(0, executor.peak_bytes() - before)};
    } else {
        return {host_peak_bytes_of(work), std::nullopt};
    }
}

/// Returns the peak of the work that it is given; empty where nobody asked.
using memory_probe = std::function<memory_peak(std::function<void()> const& work)>;

template <class Executor>
memory_probe peak_on(Executor& executor) {
    return [&executor](auto const& work) { return memory_peak_of(executor, work); };
}

/// Until accesses_of(): what the executor's tasks do in memory, if it counts that.
template <class Executor>
void forget_accesses(Executor& executor) {
    if constexpr (requires { executor.clear_profile(); }) executor.clear_profile();
}
/// None if the executor does not count.
template <class Executor>
std::optional<access_profile> accesses_of(Executor const& executor) {
    if constexpr (requires { executor.profile(); })
        if (executor.options().profile) return executor.profile();
    return std::nullopt;
}

struct repeated_work {
    std::function<void()> prepare;  // before each run, and no part of its time
    std::function<void()> run;      // what is timed; waits until it is done
    std::function<double()> error;  // of the last run's result, as `record::max_error` counts
};

/// Which results are checked: all, or, where a check takes longer than the work, those of the first and the last run.
enum class checks { every_run, first_and_last };

/// Traces work(), and writes the trace to `file`. Throws argument_error if the work had no tasks run, or if the file
/// cannot be written. If the work throws, its trace is written all the same.
void trace_work(std::string const& file, std::function<void()> const& work);

/// Runs the work once, and then `repeats` times, unless a result is seen to be wrong. Then, if there is a probe,
/// once more, checked, in it, and if there is a trace file, once more, checked, in trace_work(). Fills in the record's
/// seconds, error and memory. Throws what the work throws.
void measure(record& r, repeated_work const& work, int repeats, checks which, memory_probe const& peak = {},
             std::string const& trace_file = {});

/// The p-quantile of a sorted list that is not empty, 0 <= p <= 1: linear between neighbours.
double quantile(std::vector<double> const& sorted, double p);

}  // namespace copse::cli
