// The gpu executor for throughput_bench.cpp. The device controller takes part where this file is compiled with
// -rdc=true. The build does not do that, because the other programs of bench/ are linked with copse::device, and a
// program has one device link: bench/first_light measures a hop under that controller.
#include <copse/runtime/gpu.hpp>

#include "bench/throughput.hpp"

namespace copse::bench {

std::vector<contender> gpu_contenders() {
    std::vector<contender> all;
    if (!gpu::usable()) return all;
    std::pair<controller, char const*> const controllers[] = {
        {controller::persistent, "persistent"},
        {controller::host, "host"},
#ifdef __CUDACC_RDC__
        {controller::device, "device"},
#endif
    };
    for (auto const& [which, name] : controllers)
        all.push_back(executor_contender(std::make_shared<gpu>(gpu_options{.controller = which}), "gpu", name, 0, 1));
    return all;
}

}  // namespace copse::bench
