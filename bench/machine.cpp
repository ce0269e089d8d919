#include "bench/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <copse/runtime/gpu.hpp>
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

double load_average() {
    double minute = -1;
    return ::getloadavg(&minute, 1) == 1 ? minute : -1;
}

}  // namespace

machine this_machine() {
    char const* const commit = std::getenv("COPSE_COMMIT");
    return {cpu_model(), gpu::usable() ? gpu().properties().name : "",
            fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))), load_average(),
            commit && *commit ? commit : "unknown"};
}

}  // namespace copse::bench
