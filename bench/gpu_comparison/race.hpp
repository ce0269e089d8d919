// The comparison on a GPU: every product is checked, then all are timed in turn, then checked again.
#pragma once

#include <copse/runtime/error.hpp>
#include <string>
#include <vector>

#include "bench/gpu_comparison/clock.hpp"
#include "bench/gpu_comparison/product.hpp"

namespace copse::bench {

/// After a call that left the GPU unusable for this process. The message begins with whose call it was.
class gpu_lost : public error {
  public:
    using error::error;
};

/// Throws gpu_lost with the message when the GPU cannot be used any more.
void throw_if_lost(std::string const& message);

struct gpu_race_options {
    int repeats = 21;
    int least_repeats = 5;       // of one whose time is over
    double seconds_each = 0.5;   // of timed runs; then a competitor waits for the others
    unsigned hang_seconds = 30;  // for a call that does not come back; see watchdog.hpp
    std::string program = "copse_spmv_gpu";
};

/// Whether one whose timed runs took so long so far has another turn.
bool has_turn(std::size_t runs, double seconds, gpu_race_options const& options);

/// Fills in the records. Before each checked run y is poisoned with NaN. A competitor that throws gets a failure, one
/// whose result is wrong no times; the others go on. Throws gpu_lost. A call that hangs ends the program, naming the
/// competitor in brackets.
template <class T>
void race_on_gpu(gpu_clock& clock, gpu_problem<T> const& problem, std::vector<gpu_competitor<T>>& competitors,
                 gpu_race_options const& options);

}  // namespace copse::bench
