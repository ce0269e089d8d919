// Users' functions for leaves, pairs of leaves and rows, on a GPU.
#include <algebra/for_each_row_suite.hpp>
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

TEST(for_each_row_on_gpu, has_each_row_once) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    gpu executor;
    check_rows(executor);
    check_rows_of(executor, mixed_matrix());
    spmv_plan<double> const plan(executor, hisparse<double>(executor, mixed_matrix(), {.node_dimension = 64}));
    EXPECT_EQ(rounded_sums(executor, plan), rounded_sums(executor, plan));
}

}  // namespace
}  // namespace copse::tests
