// A tool in the place of Nsight: NVTX loads it from NVTX_INJECTION64_PATH, and it records what it is called with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace copse::tests {

struct recorded_range {
    std::string domain;
    std::string category;
    std::string name;
    std::int64_t count;  // the payload; -1: none
    std::uint64_t thread;
    int depth;    // 0: outermost on its thread
    bool closed;  // its pop has come
};

struct recorded_ranges {
    std::vector<recorded_range> ranges;  // in the order of their pushes
    int pops_without_push = 0;
};

/// The name of the function in the library that returns what was recorded so far, and forgets what is closed.
inline constexpr char const* take_recorded = "copse_take_recorded";
using take_recorded_function = recorded_ranges* (*)();

}  // namespace copse::tests
