// Every operation on every kind of node at every level, on a GPU, with every controller that is linked.
#include <algebra/node_kinds_suite.hpp>
#include <copse/runtime/gpu.hpp>
#include <gpu/with_controller.hpp>

namespace copse::tests {
namespace {

class node_kinds_on_gpu : public with_controller {};

TEST_P(node_kinds_on_gpu, convert_there_and_back) {
    gpu executor({.controller = GetParam()});
    for (node_case const& c : node_cases()) {
        check_conversion_of<float>(executor, c);
        check_conversion_of<double>(executor, c);
    }
}

TEST_P(node_kinds_on_gpu, multiply) {
    gpu executor({.controller = GetParam()});
    for (node_case const& c : node_cases()) {
        if (!has_products(c)) continue;
        check_products_of<float, one_shot>(executor, c);
        check_products_of<double, one_shot>(executor, c);
        check_products_of<float, by_plan>(executor, c);
        check_products_of<double, by_plan>(executor, c);
    }
}

TEST_P(node_kinds_on_gpu, prune) {
    gpu executor({.controller = GetParam()});
    for (node_case const& c : node_cases()) check_prune_of<double>(executor, c);
}

TEST_P(node_kinds_on_gpu, add_up) {
    gpu executor({.controller = GetParam()});
    check_sums_of_kinds<float>(executor, node_cases(), [](node_case const&) { return true; });
    check_sums_of_kinds<double>(executor, node_cases(), [](node_case const&) { return true; });
}

INSTANTIATE_TEST_SUITE_P(controllers, node_kinds_on_gpu, testing::ValuesIn(controllers_here()));

}  // namespace
}  // namespace copse::tests
