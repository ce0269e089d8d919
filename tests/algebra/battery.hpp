// The matrices that every format and operation is tested on, with the reason for each in its name.
#pragma once

#include <gtest/gtest.h>

#include <copse/formats/coo.hpp>
#include <copse/formats/csr.hpp>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace copse::tests {

struct battery_case {
    std::string name;
    coo<double> matrix;
};

/// Values of mixed magnitude; about one in sixteen is an explicit zero.
class value_source {
  public:
    explicit value_source(std::uint64_t seed) : engine_(seed) {}
    double operator()();

  private:
    std::mt19937_64 engine_;
};

coo<double> empty_matrix(std::int64_t rows, std::int64_t columns);

/// Every position (i, j) of an m x n matrix for which keep(i, j).
coo<double> matrix_where(std::int64_t m, std::int64_t n, std::function<bool(std::int64_t, std::int64_t)> const& keep);

/// The same for large matrices with few entries: row by row, those in the ascending columns of a row.
coo<double> matrix_of_rows(std::int64_t m, std::int64_t n,
                           std::function<std::vector<std::int64_t>(std::int64_t)> const& columns);

/// first, first + step, ... below n
std::vector<std::int64_t> every(std::int64_t first, std::int64_t step, std::int64_t n);

/// `count` entries at random positions, repeated ones included.
coo<double> scattered(std::int64_t m, std::int64_t n, std::int64_t count, std::uint64_t seed);

/// By row, then column, with entries of equal coordinates summed: of matrices that have too many rows for to_csr().
coo<double> in_order(coo<double> const& a);

// With a sanitizer a test gets some of the cases (some_cases.hpp).

/// Small enough for every lane to be a fiber.
std::vector<battery_case> small_battery();
/// Those of them with 1000 rows at most, for tests that pay for each row.
std::vector<battery_case> few_rows_battery();
/// Too large for fibers.
std::vector<battery_case> large_battery();
/// All; with the thread sanitizer, where the large ones take minutes, the small ones: threads meet in these too.
std::vector<battery_case> whole_battery();
/// All, with a sanitizer, too.
std::vector<battery_case> every_case();

/// For factors that are not finite: all values are whole numbers from -2 to 2, so that sums are exact in every type and
/// order, and whether a row's is zero is no matter of rounding. Rows without entries, rows that cancel, rows in which
/// leaves, tiles and parts have sums of both signs; several levels of nodes for d = 64.
std::vector<battery_case> whole_number_battery();
/// Those of them that are small enough for every lane to be a fiber.
std::vector<battery_case> small_whole_number_battery();

/// Instantiated for float, double.
template <class T>
coo<T> with_values_of(coo<double> const& a);

template <class T>
void expect_equal(coo<T> const& found, coo<T> const& expected) {
    EXPECT_EQ(found.row_count, expected.row_count);
    EXPECT_EQ(found.column_count, expected.column_count);
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.columns, expected.columns);
    EXPECT_EQ(found.values, expected.values);
}
template <class T>
void expect_equal(csr<T> const& found, csr<T> const& expected) {
    EXPECT_EQ(found.row_count, expected.row_count);
    EXPECT_EQ(found.column_count, expected.column_count);
    EXPECT_EQ(found.row_offsets, expected.row_offsets);
    EXPECT_EQ(found.column_indices, expected.column_indices);
    EXPECT_EQ(found.values, expected.values);
}

}  // namespace copse::tests
