// The clock that every measurement uses.
#pragma once

#include <chrono>

namespace copse::bench {

namespace measure = ::copse::bench;  // until all benchmarks say copse::bench

/// Calls work() once; the wall-clock seconds it took.
template <class Work>
double seconds_of(Work const& work) {
    auto const start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace copse::bench
