#include <runtime/scheduler/faults_suite.hpp>

namespace copse::tests {
INSTANTIATE_TYPED_TEST_SUITE_P(executors, faults, all_executors, executor_names);
}  // namespace copse::tests
