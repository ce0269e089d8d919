// The command on the executors that every machine has.
#include "cli/on_suite.hpp"

namespace copse_test {
namespace {

INSTANTIATE_TEST_SUITE_P(executors, on_test, testing::Values("cpu", "emulated"),
                         [](auto const& test) { return test.param; });

}  // namespace
}  // namespace copse_test
