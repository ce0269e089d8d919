// Sub-matrices and Kronecker products on a GPU, in whose memory A and what it shares with the result are.
#include <algebra/values/placed_copies_suite.hpp>
#include <copse/runtime/gpu.hpp>
#include <gpu/with_controller.hpp>

namespace copse::tests {
namespace {

class placed_copies_on_gpu : public with_controller {};

TEST_P(placed_copies_on_gpu, are_sub_matrices) {
    gpu executor({.controller = GetParam()});
    check_sub_matrices<double>(executor, true);
    check_sub_matrices<float>(executor, false);
    check_parts_of_sums<double>(executor);
}

TEST_P(placed_copies_on_gpu, are_kronecker_products) {
    gpu executor({.controller = GetParam()});
    check_kronecker_products<double>(executor, true);
    check_kronecker_products<float>(executor, false);
}

TEST_P(placed_copies_on_gpu, have_wide_leaves) {
    gpu executor({.controller = GetParam()});
    check_wide_copies<double>(executor, true);
    check_wide_copies<float>(executor, false);
}

INSTANTIATE_TEST_SUITE_P(controllers, placed_copies_on_gpu, testing::ValuesIn(controllers_here()));

}  // namespace
}  // namespace copse::tests
