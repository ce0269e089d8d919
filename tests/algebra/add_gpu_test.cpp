// Sums on a GPU, with every controller that is linked: the same suite as for the other executors.
#include <algebra/add_pairs.hpp>
#include <copse/runtime/gpu.hpp>

namespace copse::tests {
namespace {

class add_on_gpu : public testing::TestWithParam<controller> {
  protected:
    void SetUp() override {
        std::string why;
        if (!gpu::usable(&why)) GTEST_SKIP() << why;
    }
};

TEST_P(add_on_gpu, unites_the_entries) {
    gpu executor({.controller = GetParam()});
    check_sums(executor, whole_battery());
}

TEST_P(add_on_gpu, unites_all_kinds_of_nodes) {
    gpu executor({.controller = GetParam()});
    check_pairs(executor, all_pairs());
}

TEST_P(add_on_gpu, unites_in_every_state) {
    gpu executor({.controller = GetParam()});
    check_all_sums(executor, {"scattered", scattered(30000, 20000, 100000, 11)});
}

TEST_P(add_on_gpu, copies_the_little_that_it_would_share) {
    gpu executor({.controller = GetParam()});
    check_gathered_sum<double>(executor);
    check_gathered_sum<float>(executor);
}

#ifdef COPSE_TEST_DEVICE_CONTROLLER
INSTANTIATE_TEST_SUITE_P(controllers, add_on_gpu, testing::Values(controller::device));
#else
INSTANTIATE_TEST_SUITE_P(controllers, add_on_gpu, testing::Values(controller::persistent, controller::host));
#endif

}  // namespace
}  // namespace copse::tests
