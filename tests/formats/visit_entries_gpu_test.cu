// A user's task that reads entries, on a GPU.
#include <copse/runtime/gpu_run.cuh>
#include <formats/visit_entries_suite.hpp>
#include <string>

namespace copse::tests {
namespace {

TEST(visit_entries_on_gpu, of_whole_matrices_in_tasks) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    for (auto const each : {controller::persistent, controller::host}) {
        gpu executor({.controller = each});
        check_tasks_see_each_entry<float>(executor);
        check_tasks_see_each_entry<double>(executor);
    }
}

}  // namespace
}  // namespace copse::tests
