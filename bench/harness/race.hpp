// The one loop of all benchmarks. It checks every entrant, times the entrants in turns, checks them again, and fills in
// their records.
//
//   struct ours : entrant { ... };
//   run_race(std::vector{&ours, &theirs}, {.repeats = 15});
#pragma once

#include <copse/runtime/error.hpp>
#include <copse/runtime/executor.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/measurement.hpp"

namespace copse::bench {

/// Thrown by an entrant that does not take this matrix: no failure of its own. So is too_much_padding.
class refusal : public error {
  public:
    using error::error;
};

/// Of one run, by the entrant's own clock.
struct run_times {
    double seconds = 0;
    std::optional<double> events = {};  // seconds between CUDA events, whatever the clock
    std::optional<run_report> report = {};
};

/// work() once, by the wall clock.
run_times by_wall_clock(std::function<void()> const& work);

/// A product or a sum in one format or library. `set`: which of record.sets sets of inputs.
class entrant {
  public:
    explicit entrant(race_record r) : record(std::move(r)) {}
    virtual ~entrant() = default;

    race_record record;

    /// Once, before all runs: what all of them share. Writes into the record what that took.
    virtual void prepare() {}
    /// Before a run whose result is checked: poisons the memory of the result, so that a run that writes nothing fails.
    virtual void set_up([[maybe_unused]] int set) {}
    /// Waits until the work is done.
    virtual run_times run(int set) = 0;
    /// Of the last run's result, as `measurement::max_error` counts.
    virtual double largest_error(int set) = 0;
    /// After each run: gives back the result's memory. Must not throw.
    virtual void forget([[maybe_unused]] int set) {}
};

/// What is done around the entrants' calls. The defaults are those of races on a CPU.
struct race_options {
    int repeats = 15;
    /// Whether every timed run is checked. If not, the timed runs are followed by one more, which is checked. (On a GPU
    /// a check takes longer than the work.)
    bool checks_every_run = false;
    /// An entrant whose timed runs took `seconds_each` has no more turns, once it had `least_repeats`.
    double seconds_each = std::numeric_limits<double>::infinity();
    int least_repeats = 5;

    /// Before each run.
    std::function<void()> rest = {};
    /// Calls work(), which belongs to `who`; `patience`: in units of the time that a run may take.
    std::function<void(std::string const& who, unsigned patience, std::function<void()> const& work)> call = {};
    /// Calls work() and returns the bytes that it took on the GPU at most.
    std::function<std::int64_t(std::function<void()> const& work)> peak_bytes = {};
    /// An entrant threw. May throw in its turn, which ends the race.
    std::function<void(std::string const& message)> failed = {};
};

/// Waits until the other threads of this process sleep, at most 0.3 s. OpenMP's threads keep a processor busy for some
/// milliseconds after a loop, which they would take from the next entrant.
void let_threads_rest();

/// Options of races on a CPU: the threads of the last entrant come to rest before the next run.
race_options on_cpu(int repeats, bool checks_every_run = true);

/// 1. Each entrant is prepared, and runs once with every set of inputs. These results are checked; `first_seconds` and
///    `peak_bytes` are those of the first set.
/// 2. Entrants take turns for `repeats` rounds, so that other programs on the machine disturb all of them. Each call,
///    of any entrant, takes the set behind that of the call before, so that no entrant finds its inputs in a cache.
/// 3. Each runs once more and is checked, unless all runs were.
/// An entrant whose result is wrong, or that throws, has no more runs; the others go on. A failure is in its record.
void run_race(std::vector<entrant*> const& entrants, race_options const& options);

template <class Entrant>
void run_race(std::vector<std::unique_ptr<Entrant>> const& entrants, race_options const& options) {
    std::vector<entrant*> all;
    for (auto const& one : entrants) all.push_back(one.get());
    run_race(all, options);
}

/// "[copse csr5 plan] in A x of dense:4, double"
std::string race_name(race_record const& r);

}  // namespace copse::bench
