// Queues for pairs of nodes by kind and size, on a GPU.
#include <copse/runtime/gpu_run.cuh>
#include <formats/pair_bins_suite.hpp>
#include <string>

namespace copse::tests {
namespace {

TEST(pair_bins_on_gpu, are_those_of_sums) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    gpu executor;
    check_queues_of_all(executor, pairs_for_all_queues());
}

}  // namespace
}  // namespace copse::tests
