// Libraries that run tasks on a CPU's threads, for throughput_bench.cpp. Each is a file of its own.
#pragma once

#include <string>

#include "bench/throughput.hpp"

namespace copse::bench {

using run_graph = void (*)(task_graph const& graph, std::uint32_t* counts, int threads);

/// Tasks of OpenMP; null in a build without it.
run_graph openmp_tasks();
/// oneTBB's task_group::run(), in an arena of `threads` threads. Null where it was not found (bench/run --peers).
run_graph onetbb_tasks();
/// "2021.8"; empty without.
std::string onetbb_version();

}  // namespace copse::bench
