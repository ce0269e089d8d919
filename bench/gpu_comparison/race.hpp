// The comparison on a GPU: every product is checked, then all are timed in turn, then checked again.
#pragma once

#include <copse/runtime/error.hpp>
#include <vector>

#include "bench/gpu_comparison/clock.hpp"
#include "bench/gpu_comparison/product.hpp"

namespace copse::bench {

/// After a call that left the GPU unusable for this process. The message begins with whose call it was.
class gpu_lost : public error {
  public:
    using error::error;
};

struct gpu_race_options {
    int repeats = 21;
    unsigned hang_seconds = 30;  // for a call that does not come back; see watchdog.hpp
};

/// Fills in the records. Before each checked run y is poisoned with NaN. A competitor that throws gets a failure, one
/// whose result is wrong no times; the others go on. Throws gpu_lost.
template <class T>
void race_on_gpu(gpu_clock& clock, gpu_problem<T> const& problem, std::vector<gpu_competitor<T>>& competitors,
                 gpu_race_options const& options);

}  // namespace copse::bench
