#include "bench/harness/memory_peak.hpp"

#include "bench/harness/text.hpp"

namespace copse::bench::measure {

std::string peak_text(memory_peak const& most) {
    auto const text = [](std::int64_t bytes) { return human_bytes(static_cast<double>(bytes)); };
    std::string const host = most.bytes ? text(*most.bytes) : "this system does not count it";
    return most.device_bytes ? host + ", of the GPU's " + text(*most.device_bytes) : host;
}

}  // namespace copse::bench::measure
