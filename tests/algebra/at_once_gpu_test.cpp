// Two threads at once on one GPU: with an executor each, with one, and beside a cpu.
#include <algebra/at_once_suite.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/gpu.hpp>
#include <gpu/with_controller.hpp>

namespace copse::tests {
namespace {

class at_once_on_gpu : public with_controller {};

TEST_P(at_once_on_gpu, two_executors) {
    gpu first({.controller = GetParam()}), second({.controller = GetParam()});
    check_at_once(first, second, scattered(7000, 9000, 30000, 4), 4);
}

TEST_P(at_once_on_gpu, one_executor_from_two_threads) {
    gpu executor({.controller = GetParam()});
    check_at_once(executor, executor, scattered(7000, 9000, 30000, 4), 4);
    check_plan_at_once(executor, scattered(7000, 9000, 30000, 4), 20);
}

TEST_P(at_once_on_gpu, beside_the_host_controller) {
    gpu first({.controller = GetParam()}), second({.controller = controller::host});
    check_at_once(first, second, scattered(7000, 9000, 30000, 4), 4);
}

TEST_P(at_once_on_gpu, beside_a_cpu) {
    gpu first({.controller = GetParam()});
    cpu second(2);
    check_at_once(first, second, scattered(7000, 9000, 30000, 4), 4);
}

INSTANTIATE_TEST_SUITE_P(controllers, at_once_on_gpu, testing::ValuesIn(controllers_here()));

}  // namespace
}  // namespace copse::tests
