#include <algebra/values/share_transposed_suite.hpp>
#include <copse/runtime/gpu.hpp>
#include <gpu/with_controller.hpp>

namespace copse::tests {
namespace {

class values_once_on_gpu : public with_controller {};

TEST_P(values_once_on_gpu, say_the_same) {
    gpu executor({.controller = GetParam()});
    for (pattern_case const& c : pattern_cases())
        for (repeated which : {repeated::all, repeated::along_diagonals, repeated::nearly_all}) {
            check_values_once<double>(executor, c, which);
            check_values_once<float>(executor, c, which);
        }
}

TEST_P(values_once_on_gpu, and_twins_say_the_same) {
    gpu executor({.controller = GetParam()});
    for (pattern_case const& c : pattern_cases()) {
        check_share_transposed<double>(executor, c, 1);
        check_share_transposed<float>(executor, c, -1);
    }
}

INSTANTIATE_TEST_SUITE_P(controllers, values_once_on_gpu, testing::ValuesIn(controllers_here()));

}  // namespace
}  // namespace copse::tests
