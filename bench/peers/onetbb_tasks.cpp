#include "bench/peers/task_peers.hpp"

#ifdef COPSE_HAS_ONETBB
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>
#endif

namespace copse::bench {

#ifdef COPSE_HAS_ONETBB
namespace {

struct graph_run {
    task_graph const& graph;
    std::uint32_t* counts;
    tbb::task_group group = {};

    void run_task(std::int64_t i) {
        compute(graph, i, counts);
        push_children(graph, i, [&](std::int64_t child) { group.run([this, child] { run_task(child); }); });
    }
};

void run_all(task_graph const& graph, std::uint32_t* counts, int threads) {
    static tbb::task_arena arena(threads);
    if (arena.max_concurrency() != threads) {
        arena.terminate();
        arena.initialize(threads);
    }
    arena.execute([&] {
        graph_run all{graph, counts};
        all.group.run_and_wait([&] { all.run_task(0); });
    });
}

}  // namespace

run_graph onetbb_tasks() {
    return run_all;
}
std::string onetbb_version() {
    return std::to_string(TBB_VERSION_MAJOR) + '.' + std::to_string(TBB_VERSION_MINOR);
}
#else
run_graph onetbb_tasks() {
    return nullptr;
}
std::string onetbb_version() {
    return "";
}
#endif

}  // namespace copse::bench
