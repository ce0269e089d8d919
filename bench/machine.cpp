#include "bench/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <hwy/targets.h>
#include <copse/runtime/gpu.hpp>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>

namespace copse::bench {
namespace {

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        auto const colon = line.find(": ");
        if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
    }
    return "unknown";
}

/// The best instruction set of this processor for which products are compiled (runtime/cpu/simd_targets.hpp).
std::string instructions() {
#ifdef HWY_COMPILE_ONLY_STATIC
    std::int64_t const targets = HWY_STATIC_TARGET;
#else
    std::int64_t const targets = hwy::SupportedTargets() & ~HWY_AVX3_DL;  // better ones have lower bits
#endif
    return hwy::TargetName(targets & -targets);
}

double load_average() {
    double minute = -1;
    return ::getloadavg(&minute, 1) == 1 ? minute : -1;
}

}  // namespace

machine this_machine() {
    char const* const commit = std::getenv("COPSE_COMMIT");
    return {cpu_model(),
            instructions(),
            gpu::usable() ? gpu().properties().name : "",
            fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
            load_average(),
            commit && *commit ? commit : "unknown"};
}

}  // namespace copse::bench
