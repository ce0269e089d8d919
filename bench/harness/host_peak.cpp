#include "bench/harness/host_peak.hpp"

#include <malloc.h>

#include <copse/runtime/memory.hpp>
#include <fstream>
#include <string>

namespace copse::bench::measure {
namespace {

/// A line such as "VmHWM:    1234 kB".
std::optional<std::int64_t> bytes_in_status(std::string const& name) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (std::int64_t kilobytes = 0; word == name && status >> kilobytes) return 1024 * kilobytes;
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> restart_host_peak() {
    trim_host_memory();
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    std::ofstream file("/proc/self/clear_refs");
    if (!(file << "5" << std::flush)) return std::nullopt;
    return bytes_in_status("VmRSS:");
}

std::optional<std::int64_t> host_peak_bytes() {
    return bytes_in_status("VmHWM:");
}

}  // namespace copse::bench::measure
