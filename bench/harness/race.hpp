// Competitors against each other: checked, and timed in turn.
#pragma once

#include <functional>
#include <vector>

#include "bench/harness/measurement.hpp"

namespace copse::bench::measure {

/// Something that can be run over and over.
class work {
  public:
    virtual ~work() = default;
    /// What has to be done before each run() and is not part of its time.
    virtual void prepare() = 0;
    /// What is timed. Waits until it is done.
    virtual void run() = 0;
    /// run(), and the seconds that it took: by the wall clock, unless the work has a better one.
    virtual double time_run();
};

/// One who takes part; all is borrowed.
struct entrant {
    measurement& record;
    work& what;
    std::function<double()> error;  // of the last run's result, as `measurement::max_error` counts
};

/// Which results are checked: all, or, where a check takes longer than the work, those of the first and the last run.
enum class checks { every_run, first_and_last };

/// Waits until the other threads of this process sleep, at most 0.3 s. Those of OpenMP keep a processor busy for some
/// milliseconds after a loop, waiting for the next one, and whoever comes next would share it with them.
void let_threads_rest();

/// Each entrant runs once, then each in turn for `repeats` rounds, so that whatever else the machine does meets all of
/// them; before each the threads of the one before have come to rest. Who is seen to be wrong does not run again. With
/// a probe each runs once more, checked, for what it takes of memory at most. Fills in the records' seconds, errors and
/// memory.
/// Throws what the work throws.
void take_turns(std::vector<entrant> const& entrants, int repeats, checks which = checks::every_run,
                memory_probe const& probe = {});

/// The p-quantile of a sorted list that is not empty, 0 <= p <= 1: linear between neighbours.
double quantile(std::vector<double> const& sorted, double p);

}  // namespace copse::bench::measure
