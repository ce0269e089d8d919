// Row statistics and sizes, worked by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <copse/formats/csr.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/statistics.hpp>
#include <numeric>
#include <vector>

namespace {

TEST(statistics, rows_by_hand) {
    // Rows of 2, 0 and 4 entries: mean 2, deviations 0, -2, 2.
    copse::csr<double> const a{3, 4, {0, 2, 2, 6}, {0, 1, 0, 1, 2, 3}, {1, 1, 1, 1, 1, 1}};
    auto const s = copse::count_rows(a);
    EXPECT_EQ(s.minimum, 0);
    EXPECT_EQ(s.maximum, 4);
    EXPECT_EQ(s.mean, 2);
    EXPECT_DOUBLE_EQ(s.standard_deviation, std::sqrt(8.0 / 3));
    EXPECT_EQ(s.empty_rows, 1);
}

TEST(statistics, columns_are_the_rows_of_the_transpose) {
    // Large enough for threads.
    auto const a = copse::to_csr(copse::generate<double>("circuit:30000"));
    auto const columns = copse::count_columns(a), rows = copse::count_rows(copse::transpose(a));
    EXPECT_GT(columns.maximum, 5000);
    EXPECT_EQ(columns.minimum, rows.minimum);
    EXPECT_EQ(columns.maximum, rows.maximum);
    EXPECT_EQ(columns.mean, rows.mean);
    EXPECT_DOUBLE_EQ(columns.standard_deviation, rows.standard_deviation);
    EXPECT_EQ(columns.empty_rows, rows.empty_rows);
}

TEST(statistics, threads_that_count_the_same_column_lose_nothing) {
    std::int64_t const rows = 2'000'000;
    copse::csr<float> a{rows, 1, std::vector<std::int64_t>(rows + 1), std::vector<std::int32_t>(rows),
                        std::vector<float>(rows, 1)};
    std::iota(a.row_offsets.begin(), a.row_offsets.end(), 0);
    EXPECT_EQ(copse::count_columns(a).maximum, rows);
}

void expect_same(copse::row_statistics const& a, copse::row_statistics const& b) {
    EXPECT_EQ(a.minimum, b.minimum);
    EXPECT_EQ(a.maximum, b.maximum);
    EXPECT_DOUBLE_EQ(a.mean, b.mean);
    EXPECT_NEAR(a.standard_deviation, b.standard_deviation, 1e-12 * b.standard_deviation);
    EXPECT_EQ(a.empty_rows, b.empty_rows);
}

TEST(statistics, few_columns_with_entries_are_counted_without_the_others) {
    // Columns of 1, 2 and 1 entries, the others empty; as many columns as are counted one by one, and one more.
    for (std::int64_t const columns : {79, 80, 5000}) {
        copse::csr<double> const a{2, columns, {0, 3, 4}, {5, 60, 78, 60}, {1, 1, 1, 1}};
        auto const s = copse::count_columns(a);
        expect_same(s, copse::count_rows(copse::transpose(a)));
        expect_same(s, copse::count_columns(copse::to_coo(a)));
        expect_same(copse::count_rows(a), copse::count_rows(copse::to_coo(a)));
    }
}

TEST(statistics, of_2_to_the_31_columns) {
    std::int64_t const n = std::int64_t{1} << 31;
    copse::csr<double> const a{1, n, {0, 3}, {0, 999'999, 2'147'483'647}, {1, 2, 3}};
    auto const s = copse::count_columns(a);
    EXPECT_EQ(s.minimum, 0);
    EXPECT_EQ(s.maximum, 1);
    EXPECT_EQ(s.mean, 3.0 / static_cast<double>(n));
    EXPECT_NEAR(s.standard_deviation, std::sqrt(3.0 / static_cast<double>(n)), 1e-12);
    EXPECT_EQ(s.empty_rows, n - 3);
    // Every column has some: of coordinates, no matter how many.
    expect_same(copse::count_rows(copse::coo<float>{2, 1, {1, 0}, {0, 0}, {1, 1}}), {1, 1, 1, 0, 0});
    expect_same(copse::count_columns(copse::coo<float>{0, 0, {}, {}, {}}), {});
    expect_same(copse::count_columns(copse::coo<float>{1, 9, {}, {}, {}}), {0, 0, 0, 0, 9});
}

TEST(statistics, equal_rows_do_not_deviate) {
    copse::csr<float> const a{2, 3, {0, 2, 4}, {0, 1, 1, 2}, {1, 1, 1, 1}};
    auto const s = copse::count_rows(a);
    EXPECT_EQ(s.minimum, 2);
    EXPECT_EQ(s.maximum, 2);
    EXPECT_EQ(s.standard_deviation, 0);
    EXPECT_EQ(s.empty_rows, 0);
}

TEST(statistics, without_rows_or_entries) {
    auto const none = copse::count_rows(copse::csr<double>{0, 5, {0}, {}, {}});
    EXPECT_EQ(none.minimum, 0);
    EXPECT_EQ(none.maximum, 0);
    EXPECT_EQ(none.mean, 0);
    EXPECT_EQ(none.standard_deviation, 0);
    EXPECT_EQ(none.empty_rows, 0);
    auto const empty = copse::count_rows(copse::csr<double>{2, 5, {0, 0, 0}, {}, {}});
    EXPECT_EQ(empty.maximum, 0);
    EXPECT_EQ(empty.mean, 0);
    EXPECT_EQ(empty.empty_rows, 2);
}

TEST(statistics, bytes) {
    EXPECT_EQ(copse::coo_bytes(10, sizeof(double)), 160);
    EXPECT_EQ(copse::coo_bytes(10, sizeof(float)), 120);
    EXPECT_EQ(copse::csr_bytes(3, 10, sizeof(double)), 10 * 12 + 4 * 4);
    EXPECT_EQ(copse::csr_bytes(3, 10, sizeof(float)), 10 * 8 + 4 * 4);
    EXPECT_EQ(copse::csr_bytes(0, 0, sizeof(float)), 4);
    std::int64_t const many = std::int64_t{1} << 31;
    EXPECT_EQ(copse::csr_bytes(3, many - 1, sizeof(float)), (many - 1) * 8 + 4 * 4);
    EXPECT_EQ(copse::csr_bytes(3, many, sizeof(float)), many * 8 + 4 * 8);
}

}  // namespace
