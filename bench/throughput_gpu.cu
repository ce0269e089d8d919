// The gpu executor for throughput_bench.cpp. Compiled with -rdc=true: so it has the device controller, too.
#include <copse/runtime/gpu.hpp>

#include "bench/throughput.hpp"

namespace copse::bench {

std::vector<contender> gpu_contenders(std::vector<std::string> const& controllers) {
    if (!gpu::usable()) return {};
    return by_controllers<gpu, gpu_options>("gpu", controllers, 0, 1);
}

}  // namespace copse::bench
