// What tasks must not ask of nodes, on a GPU in a checked build: this program is compiled with COPSE_CHECKED=1.
#include <copse/runtime/gpu_run.cuh>
#include <formats/refused_nodes_suite.hpp>
#include <string>

namespace copse::tests {
namespace {

static_assert(COPSE_CHECKED == 1);

TEST(refused_nodes_on_gpu, end_the_run_with_the_same_error) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    for (auto const each : {controller::persistent, controller::host}) {
        gpu executor({.controller = each});
        check_refused_nodes(executor);
    }
}

}  // namespace
}  // namespace copse::tests
