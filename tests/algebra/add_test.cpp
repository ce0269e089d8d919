// Sums on the CPU's executors; add_gpu_test.cpp has the gpu's.
#include <algebra/add_suite.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>

namespace copse::tests {
namespace {

class add_on_cpu : public testing::TestWithParam<int> {};

TEST_P(add_on_cpu, unites_the_entries) {
    cpu executor(GetParam());
    check_sums(executor, whole_battery());
}

INSTANTIATE_TEST_SUITE_P(threads, add_on_cpu, testing::Values(1, 3));

}  // namespace
}  // namespace copse::tests
