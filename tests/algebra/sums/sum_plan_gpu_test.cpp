// Sums by plans on a GPU, with every controller that is linked.
#include <algebra/sums/planned_twins_suite.hpp>
#include <copse/runtime/gpu.hpp>
#include <gpu/with_controller.hpp>

namespace copse::tests {
namespace {

class sum_plan_on_gpu : public with_controller {};

TEST_P(sum_plan_on_gpu, unites_the_entries) {
    gpu executor({.controller = GetParam()});
    check_planned_sums(executor, whole_battery());
}

TEST_P(sum_plan_on_gpu, takes_operands_however_they_are_stored) {
    gpu executor({.controller = GetParam()});
    check_planned_sums_of_once<double>(executor);
    check_special_values_of_planned_sums<float>(executor);
    check_places_of_planned_sums(executor);
    check_products_of_planned_sums<double>(executor);
    check_planned_sums_of_several<double>(executor);
}

TEST_P(sum_plan_on_gpu, stores_twins_once) {
    gpu executor({.controller = GetParam()});
    check_planned_pairs_of_twins(executor, false);
    check_bytes_of_planned_twins(executor);
    check_products_of_planned_twins(executor);
}

INSTANTIATE_TEST_SUITE_P(controllers, sum_plan_on_gpu, testing::ValuesIn(controllers_here()));

}  // namespace
}  // namespace copse::tests
