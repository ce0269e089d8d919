// Products on a GPU, with every controller that is linked: the same suite as for the other executors.
#include <algebra/products/spmv_suite.hpp>
#include <copse/runtime/gpu.hpp>
#include <gpu/with_controller.hpp>

namespace copse::tests {
namespace {

class spmv_on_gpu : public with_controller {};

TEST_P(spmv_on_gpu, agrees_with_the_reference) {
    gpu executor({.controller = GetParam()});
    check_battery(executor, whole_battery());
}

TEST_P(spmv_on_gpu, factors_that_are_not_finite_meet_whole_sums) {
    gpu executor({.controller = GetParam()});
    check_all_factors(executor);
}

TEST_P(spmv_on_gpu, agrees_again_and_again) {
    gpu executor({.controller = GetParam()});
    battery_case const c{"scattered", scattered(30000, 20000, 300000, 11)};
    for (int repeat = 0; repeat < 20; ++repeat) check_product<double>(executor, c, {repeat % 2 == 1, 1, 0.5, 2});
}

INSTANTIATE_TEST_SUITE_P(controllers, spmv_on_gpu, testing::ValuesIn(controllers_here()));

}  // namespace
}  // namespace copse::tests
