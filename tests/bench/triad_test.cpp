// The bandwidth that products are held against.
#include <gtest/gtest.h>

#include "bench/ceilings.hpp"

namespace copse::bench {
namespace {

TEST(triad, is_measured_with_the_arrays_that_are_asked_for) {
    auto const result = measure_triad(2, 3, 80'000);
    EXPECT_EQ(result.array_bytes, 80'000u);
    EXPECT_EQ(result.threads, 2);
    EXPECT_GT(result.median_gbytes_per_second, 0);
    EXPECT_GE(result.gbytes_per_second, result.median_gbytes_per_second);
}

TEST(triad, takes_large_arrays_by_default) {
    EXPECT_GE(default_triad_bytes(), 10'000'000u);
}

}  // namespace
}  // namespace copse::bench
