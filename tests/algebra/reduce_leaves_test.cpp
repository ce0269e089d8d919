// One call for all leaves, on the executors of the host; reduce_leaves_gpu_test.cu has the GPU.
#include <algebra/reduce_leaves_suite.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>

namespace copse::tests {
namespace {

TEST(reduce_leaves, adds_up_entries_and_pairs_on_a_cpu) {
    for (int threads : {1, 3}) {
        cpu executor(threads);
        check_reductions(executor);
    }
}

TEST(reduce_leaves, adds_up_entries_and_pairs_in_lanes) {
    emulated executor;
    check_reductions(executor);
}

TEST(reduce_leaves, adds_up_entries_and_pairs_in_lanes_that_are_threads) {
    emulated executor({.mode = emulation::stress});
    check_reductions(executor, false);
}

TEST(reduce_leaves, wants_two_matrices_of_one_shape) {
    cpu executor(1);
    hisparse<double> const a(executor, empty_matrix(3, 4)), b(executor, empty_matrix(4, 3));
    EXPECT_THROW(reduce_leaves(executor, a, b, 0.0, multiply_values(), add_numbers()), shape_error);
    EXPECT_THROW(for_each_leaf_pair<pairs::both>(executor, a, b, count_pairs()), shape_error);
}

}  // namespace
}  // namespace copse::tests
