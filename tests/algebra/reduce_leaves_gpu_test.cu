// Users' functions for leaves and pairs of leaves, on a GPU.
#include <algebra/reduce_leaves_suite.hpp>
#include <algebra/sums/add_pairs.hpp>
#include <copse/runtime/gpu_run.cuh>
#include <string>

namespace copse::tests {
namespace {

TEST(reduce_leaves_on_gpu, adds_up_entries_and_pairs) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    for (auto const each : {controller::persistent, controller::host}) {
        gpu executor({.controller = each});
        check_reductions(executor);
        int turn = 0;
        for (auto const& pair : all_pairs()) {
            SCOPED_TRACE(pair.name);
            check_pairs(executor, pair.a, pair.b, turn++);
        }
    }
}

}  // namespace
}  // namespace copse::tests
