// CMRS on the CPU's executors, by strips of several heights, sorted and padded.
#include <algebra/flat/flat_suite.hpp>

namespace copse::tests {
INSTANTIATE_TYPED_TEST_SUITE_P(cmrs, flat_product, makes_cmrs);
}  // namespace copse::tests
