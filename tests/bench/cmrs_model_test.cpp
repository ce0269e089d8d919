// The performance model against the numbers of the paper's text (§5, §6.4).
#include <gtest/gtest.h>

#include "bench/cmrs_model.hpp"

namespace copse::tests {
namespace {

TEST(cmrs_model, gives_the_papers_example) {
    // "substituting h = 1, lambda = 128, b = 4, and mu = 2 one has f = 16.5 ... with h = 16 f down to ~ 2"
    EXPECT_DOUBLE_EQ((cmrs_model{1, 2, 4, 128}.bytes_per_byte()), 16.5);
    EXPECT_DOUBLE_EQ((cmrs_model{16, 2, 4, 128}.bytes_per_byte()), 1.96875);
}

TEST(cmrs_model, speedup_is_the_approximation_of_the_ratio) {
    EXPECT_DOUBLE_EQ((cmrs_model{1, 7, 8, 128}.speedup()), 1);
    EXPECT_DOUBLE_EQ((cmrs_model{16, 2, 4, 128}.speedup()), 1 + 15.0 / 2);
    // a(h, mu) ~ h for very short rows; little gain for long ones.
    EXPECT_NEAR((cmrs_model{8, 0.01, 4, 128}.speedup()), 8, 0.1);
    EXPECT_LT((cmrs_model{8, 200, 8, 128}.speedup()), 1.1);
    // The ratio itself differs by b / lambda, which the paper takes for small.
    for (double height : {2.0, 4.0, 8.0, 16.0})
        for (double entries : {1.0, 7.0, 50.0}) {
            double const ratio =
                cmrs_model{1, entries, 4, 256}.bytes_per_byte() / cmrs_model{height, entries, 4, 256}.bytes_per_byte();
            EXPECT_NEAR((cmrs_model{height, entries, 4, 256}.speedup()) / ratio, 1, 0.02);
        }
}

TEST(cmrs_traffic, counts_bytes_by_hand) {
    // 5 rows, 10 entries, 3 strips, double: (2*8 + 4)*10 + 4*3 + 8*5 and (8 + 4)*10 + 4*3 + 2*8*5
    cmrs_traffic const t{5, 10, 3, 8};
    EXPECT_EQ(t.most_bytes(), 252);
    EXPECT_EQ(t.least_bytes(), 212);
    EXPECT_DOUBLE_EQ(t.most_efficiency(2e-6, 1e9), 252 / 2e-6 / 1e9);
    EXPECT_DOUBLE_EQ(t.least_efficiency(2e-6, 1e9), 212 / 2e-6 / 1e9);
}

}  // namespace
}  // namespace copse::tests
