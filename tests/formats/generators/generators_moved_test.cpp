// Entries that were moved: how far, and where those end that would leave the matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <copse/formats/csr.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/error.hpp>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace {

using copse::coo;
using copse::generate;
using copse::moved;

// By how many rows and columns the entries of `after` moved that lay far from every border.
struct moved_distances {
    std::vector<double> rows, columns;
};

moved_distances distances_between(coo<double> const& before, coo<double> const& after, std::int64_t margin) {
    moved_distances result;
    for (std::int64_t k = 0; k < before.entry_count(); ++k) {
        auto const inside = [&](std::int64_t i, std::int64_t count) { return i >= margin && i < count - margin; };
        if (!inside(before.rows[k], before.row_count) || !inside(before.columns[k], before.column_count)) continue;
        result.rows.push_back(after.rows[k] - before.rows[k]);
        result.columns.push_back(after.columns[k] - before.columns[k]);
    }
    return result;
}

double mean_product(std::vector<double> const& a, std::vector<double> const& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / static_cast<double>(a.size());
}

// The share of distances within z standard deviations, and what the normal distribution has there.
void expect_normal(std::vector<double> const& d, double sigma) {
    auto const n = static_cast<double>(d.size());
    double const mean = std::accumulate(d.begin(), d.end(), 0.0) / n;
    EXPECT_LT(std::abs(mean), 5 * sigma / std::sqrt(n));
    // Rounding to whole numbers adds the variance of a uniform distribution.
    EXPECT_NEAR(mean_product(d, d), sigma * sigma + 1.0 / 12, 10 * sigma * sigma / std::sqrt(n));
    for (double const limit : {5.5, 10.5, 20.5, 30.5}) {
        auto const within = std::count_if(d.begin(), d.end(), [&](double x) { return std::abs(x) < limit; });
        EXPECT_NEAR(static_cast<double>(within) / n, std::erf(limit / sigma / std::sqrt(2.0)), 0.006) << limit;
    }
}

TEST(moved, distances_are_normal_and_independent) {
    auto const a = generate<double>("dense:600");
    auto const d = distances_between(a, moved(a, 10, 1), 100);
    ASSERT_EQ(d.rows.size(), 400u * 400u);
    expect_normal(d.rows, 10);
    expect_normal(d.columns, 10);
    EXPECT_LT(std::abs(mean_product(d.rows, d.columns)), 5 * 100 / std::sqrt(160000.0));
}

TEST(moved, values_and_their_order_are_kept) {
    auto const a = generate<double>("dense:30,50");
    auto const b = moved(a, 10, 1);
    EXPECT_EQ(a.row_count, b.row_count);
    EXPECT_EQ(a.column_count, b.column_count);
    EXPECT_EQ(a.values, b.values);
    EXPECT_NE(a.rows, b.rows);
    EXPECT_NE(a.columns, b.columns);
    EXPECT_NO_THROW(copse::to_csr(b));  // throws for an index outside
}

TEST(moved, sigma_zero_changes_nothing) {
    auto const a = generate<double>("rmat:8");
    auto const b = moved(a, 0, 7);
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.columns, b.columns);
}

TEST(moved, a_large_sigma_drives_entries_to_the_corners) {
    auto const a = generate<double>("dense:40,3");
    auto const b = moved(a, 1e9, 1);
    std::vector<int> corners(4, 0);
    for (std::size_t k = 0; k < b.values.size(); ++k) {
        ASSERT_TRUE(b.rows[k] == 0 || b.rows[k] == 39);
        ASSERT_TRUE(b.columns[k] == 0 || b.columns[k] == 2);
        ++corners[(b.rows[k] > 0 ? 2 : 0) + (b.columns[k] > 0 ? 1 : 0)];
    }
    for (int const count : corners) EXPECT_GT(count, 10);
}

TEST(moved, an_entry_goes_to_the_same_place_wherever_it_is_listed) {
    auto a = generate<double>("permutation:5000");
    auto const b = moved(a, 10, 1);
    std::reverse(a.rows.begin(), a.rows.end());
    std::reverse(a.columns.begin(), a.columns.end());
    auto c = moved(a, 10, 1);
    std::reverse(c.rows.begin(), c.rows.end());
    std::reverse(c.columns.begin(), c.columns.end());
    EXPECT_EQ(b.rows, c.rows);
    EXPECT_EQ(b.columns, c.columns);
}

TEST(moved, the_far_corner_of_the_largest_matrix) {
    auto const last = std::numeric_limits<std::int32_t>::max();
    coo<double> const a{std::int64_t{1} << 31, std::int64_t{1} << 31, {last}, {last}, {3}};
    auto const b = moved(a, 100, 1);
    EXPECT_GE(b.rows[0], last - 700);
    EXPECT_GE(b.columns[0], last - 700);
}

TEST(moved, the_generator_is_the_function) {
    auto const a = moved(generate<double>("rmat:8,4,2"), 5, 9);
    auto const b = generate<double>("moved:5,9,rmat:8,4,2");
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.columns, b.columns);
    EXPECT_EQ(a.values, b.values);
    auto const other_seed = generate<double>("moved:5,10,rmat:8,4,2");
    EXPECT_NE(a.rows, other_seed.rows);
    auto const twice = generate<double>("moved:3,2,moved:5,9,rmat:8,4,2");
    EXPECT_EQ(twice.rows, moved(a, 3, 2).rows);
}

TEST(moved, the_generator_keeps_its_pieces) {
    EXPECT_EQ(generate<float>("moved:0,1,poisson2d:3,4").row_count, 12);
    EXPECT_THROW(generate<float>("moved:1.5,1,qcd:3"), copse::argument_error);
    EXPECT_THROW(generate<float>("moved:1,1,nothing:3"), copse::argument_error);
}

TEST(moved, sigma_outside_its_range_is_an_error) {
    coo<float> const a{1, 1, {0}, {0}, {1}};
    for (double const sigma : {-1.0, 1e10, std::nan("")}) EXPECT_THROW(moved(a, sigma, 1), copse::argument_error);
}

}  // namespace
