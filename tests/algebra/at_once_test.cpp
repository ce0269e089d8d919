// Threads at once, with the CPU's executors; at_once_gpu_test.cpp has the gpu's.
#include <algebra/at_once_suite.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse::tests {
namespace {

TEST(at_once, two_cpus) {
    cpu first(2), second(2);
    check_at_once(first, second, scattered(700, 900, 3000, 4), 20);
}

TEST(at_once, a_cpu_and_threads_of_the_emulated_executor) {
    cpu first(2);
    emulated second({.mode = emulation::stress, .blocks = 2});
    check_at_once(first, second, scattered(200, 150, 500, 4), 1);
}

TEST(at_once, two_emulated_executors_lane_by_lane) {
    emulated first({.seed = 1}), second({.seed = 2});
    check_at_once(first, second, scattered(200, 150, 500, 4), 1);
}

TEST(at_once, one_cpu_from_two_threads) {
    cpu executor(2);
    check_at_once(executor, executor, scattered(700, 900, 3000, 4), 10);
    check_plan_at_once(executor, scattered(700, 900, 3000, 4), 20);
}

TEST(at_once, one_emulated_executor_from_two_threads) {
    emulated executor;
    check_at_once(executor, executor, scattered(200, 150, 500, 4), 1);
    check_plan_at_once(executor, scattered(200, 150, 500, 4), 1);
}

TEST(at_once, one_matrix_with_a_cpu_for_each_thread) {
    cpu first(2), second(2), third(1);
    check_matrix_at_once<cpu>({&first, &second, &third}, 900, 8000, 8);
}

TEST(at_once, one_matrix_with_one_cpu) {
    cpu executor(2);
    check_matrix_at_once<cpu>({&executor, &executor, &executor}, 900, 8000, 8);
}

}  // namespace
}  // namespace copse::tests
