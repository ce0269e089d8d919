#include "bench/gpu_comparison/race.hpp"

#include <cuda_runtime_api.h>

#include "bench/gpu_comparison/allocations.hpp"
#include "bench/gpu_comparison/watchdog.hpp"

namespace copse::bench {

void throw_if_lost(std::string const& message) {
    if (cudaDeviceSynchronize() != cudaSuccess) throw gpu_lost(message);
}

race_options on_gpu(gpu& executor, std::string const& program, int repeats) {
    unsigned constexpr hang_seconds = 30;
    return {.repeats = repeats,
            .seconds_each = 0.5,
            .call =
                [program](std::string const& who, unsigned patience, auto const& work) {
                    watchdog const limit(program, who, patience * hang_seconds);
                    work();
                },
            .peak_bytes =
                [&executor](auto const& work) {
                    executor.release_workspace();  // what a run takes from it is to be counted
                    return peak_bytes_of(work);
                },
            .failed = throw_if_lost};
}

}  // namespace copse::bench
