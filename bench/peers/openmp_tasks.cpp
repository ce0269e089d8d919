#include "bench/peers/task_peers.hpp"

namespace copse::bench {

#ifdef _OPENMP
namespace {

void run_task(task_graph const& graph, std::uint32_t* counts, std::int64_t i) {
    compute(graph, i, counts);
    push_children(graph, i, [&](std::int64_t child) {
        auto const* const all = &graph;
#pragma omp task default(none) firstprivate(all, counts, child)
        run_task(*all, counts, child);
    });
}

void run_all(task_graph const& graph, std::uint32_t* counts, int threads) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    run_task(graph, counts, 0);
}

}  // namespace

run_graph openmp_tasks() {
    return run_all;
}
#else
run_graph openmp_tasks() {
    return nullptr;
}
#endif

}  // namespace copse::bench
