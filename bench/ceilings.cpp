#include "bench/ceilings.hpp"

#ifdef COPSE_HAS_CUDA
#include <cuda_runtime.h>

#include <algorithm>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstdint>
#include <vector>

#include "cli/race.hpp"
#include "cli/timing.hpp"
#endif

namespace copse::bench {

#ifdef COPSE_HAS_CUDA

std::optional<double> measure_gpu_copy(int repeats) {
    if (!gpu::usable()) return std::nullopt;
    gpu const executor;
    auto const bytes = std::min(std::int64_t{1} << 30, executor.properties().memory_bytes / 16);
    buffer<std::byte> const from(executor, bytes);
    buffer<std::byte> const to(executor, bytes);
    auto const stream = static_cast<cudaStream_t>(executor.stream());
    auto const copy = [&] {
        auto status = cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream);
        if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
        if (status != cudaSuccess)
            throw cuda_error(std::string("copying within the GPU's memory: ") + cudaGetErrorString(status));
    };
    copy();
    std::vector<double> times;
    for (int repeat = 0; repeat < repeats; ++repeat) times.push_back(measure::seconds_of(copy));
    std::sort(times.begin(), times.end());
    return 2e-9 * static_cast<double>(bytes) / measure::quantile(times, 0.5);
}

#else

std::optional<double> measure_gpu_copy(int) {
    return std::nullopt;
}

#endif

}  // namespace copse::bench
