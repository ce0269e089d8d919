#include <runtime/scheduler/scheduler_suite.hpp>

namespace copse::tests {
INSTANTIATE_TYPED_TEST_SUITE_P(executors, scheduler, all_executors, executor_names);
}  // namespace copse::tests
