#include <runtime/scheduler/worker_suite.hpp>

namespace copse::tests {
INSTANTIATE_TYPED_TEST_SUITE_P(executors, worker, all_executors, executor_names);
}  // namespace copse::tests
