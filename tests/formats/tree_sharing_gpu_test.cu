// Shared sub-trees in a GPU's memory, taken over by tasks on the GPU.
#include <copse/runtime/gpu_run.cuh>
#include <formats/tree_sharing_suite.hpp>
#include <string>

namespace copse::tests {
namespace {

TEST(tree_sharing_on_gpu, makes_what_copies_make) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    for (auto const each : {controller::persistent, controller::host}) {
        gpu executor({.controller = each});
        check_sharing<double>(executor);
        check_sharing<float>(executor, false);
        check_wide_of_shared<float>(executor);
    }
}

}  // namespace
}  // namespace copse::tests
