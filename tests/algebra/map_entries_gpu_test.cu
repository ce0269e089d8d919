// New matrices from entries, on a GPU.
#include <algebra/map_entries_suite.hpp>
#include <copse/runtime/gpu_run.cuh>
#include <string>

namespace copse::tests {
namespace {

TEST(map_entries_on_gpu, makes_what_a_conversion_makes) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    for (auto const each : {controller::persistent, controller::host}) {
        gpu executor({.controller = each});
        check_mapped<double>(executor, 64);
        check_mapped_pairs(executor);
    }
}

}  // namespace
}  // namespace copse::tests
