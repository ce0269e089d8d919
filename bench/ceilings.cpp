#include "bench/ceilings.hpp"

#ifdef COPSE_HAS_CUDA
#include <copse/runtime/gpu.hpp>

#include "bench/gpu_comparison/clock.hpp"
#endif

namespace copse::bench {

#ifdef COPSE_HAS_CUDA

std::optional<double> measure_gpu_copy(int repeats) {
    if (!gpu::usable()) return std::nullopt;
    gpu executor;
    return gpu_clock(executor).copy_gbytes_per_second(repeats);
}

#else

std::optional<double> measure_gpu_copy(int) {
    return std::nullopt;
}

#endif

}  // namespace copse::bench
