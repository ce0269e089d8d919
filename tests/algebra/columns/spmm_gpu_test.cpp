// Products with several columns on a GPU, with every controller that is linked: the suites of the other executors.
#include <algebra/columns/flat_spmm_suite.hpp>
#include <algebra/columns/spmm_suite.hpp>
#include <copse/runtime/gpu.hpp>
#include <gpu/with_controller.hpp>

namespace copse::tests {
namespace {

class spmm_on_gpu : public with_controller {};

TEST_P(spmm_on_gpu, agrees_with_the_reference) {
    gpu executor({.controller = GetParam()});
    check_columns_battery<columns_one_shot>(executor, whole_battery(), 2);
    check_columns_battery<columns_by_plan>(executor, whole_battery(), 2);
}

TEST_P(spmm_on_gpu, factors_that_are_not_finite_meet_whole_sums) {
    gpu executor({.controller = GetParam()});
    check_columns_factors<columns_one_shot>(executor, whole_number_battery());
    check_columns_factors<columns_by_plan>(executor, whole_number_battery());
}

TEST_P(spmm_on_gpu, agrees_in_flat_formats) {
    gpu executor({.controller = GetParam()});
    check_all_flat(executor, whole_battery());
    check_flat_factors(executor, whole_number_battery());
}

/// The plan's parts own their rows: the same bits every time.
TEST_P(spmm_on_gpu, gives_the_same_bits_by_a_plan) {
    gpu executor({.controller = GetParam()});
    csr<double> const a = to_csr(scattered(30000, 20000, 300000, 11));
    spmv_plan<double> const plan(executor, hisparse<double>(executor, a));
    std::vector<double> const x(20000 * 8, 0.1);
    buffer<double> const of_x(executor, x);
    std::vector<double> first;
    for (int repeat = 0; repeat < 5; ++repeat) {
        buffer<double> y(executor, 30000 * 8);
        spmm(executor, 1.0, plan, row_major(of_x, 20000, 8), 0.0, row_major(y, 30000, 8));
        if (first.empty()) first = y.to_host();
        EXPECT_EQ(y.to_host(), first);
    }
}

INSTANTIATE_TEST_SUITE_P(controllers, spmm_on_gpu, testing::ValuesIn(controllers_here()));

}  // namespace
}  // namespace copse::tests
