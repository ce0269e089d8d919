// CSR5's product as its paper sums: right where all is of one size, and why it is not the library's.
#include "bench/csr5_prefix_difference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <limits>
#include <string>

namespace copse::bench {
namespace {

/// Rows of `length` ones, and `value` everywhere in row `odd`.
csr<double> ones_but_one_row(std::int64_t rows, std::int64_t length, std::int64_t odd, double value) {
    csr<double> a;
    a.row_count = rows;
    a.column_count = length;
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t j = 0; j < length; ++j) {
            a.column_indices.push_back(static_cast<std::int32_t>(j));
            a.values.push_back(row == odd ? value : 1);
        }
        a.row_offsets.push_back(a.entry_count());
    }
    return a;
}

std::vector<double> multiply(csr5<double> const& a, segment_sums how, std::vector<double> const& x) {
    std::vector<double> y(static_cast<std::size_t>(a.row_count()), std::numeric_limits<double>::quiet_NaN());
    multiply_csr5_plainly<double>(2, how, 1, a, x, 0, y);
    return y;
}

std::vector<double> multiply_by_library(cpu& executor, csr5<double> const& a, std::vector<double> const& x) {
    std::vector<double> y(static_cast<std::size_t>(a.row_count()), std::numeric_limits<double>::quiet_NaN());
    spmv(executor, 1, a, x, 0, y);
    return y;
}

/// How many rows but `odd` are not `expected`.
int wrong_rows(std::vector<double> const& y, std::size_t odd, double expected) {
    int wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i) wrong += i != odd && y[i] != expected ? 1 : 0;
    return wrong;
}

TEST(csr5_prefix_difference, large_numbers_inf_and_nan_of_a_row_reach_its_neighbours_there_and_not_in_the_library) {
    cpu executor(2);
    auto constexpr odd = 3, length = 11;
    auto constexpr inf = std::numeric_limits<double>::infinity();
    for (double const value : {1e16, inf, std::numeric_limits<double>::quiet_NaN()}) {
        // Tiles of 8 columns of 4: a row takes three columns or four.
        csr5<double> const a(executor, ones_but_one_row(12, length, odd, value), {.omega = 8, .sigma = 4});
        std::vector<double> const x(length, 1);
        EXPECT_GT(wrong_rows(multiply(a, segment_sums::prefix_differences, x), odd, length), 0) << value;
        EXPECT_EQ(wrong_rows(multiply(a, segment_sums::segment_by_segment, x), odd, length), 0) << value;
        EXPECT_EQ(wrong_rows(multiply_by_library(executor, a, x), odd, length), 0) << value;
    }
}

TEST(csr5_prefix_difference, segments_are_summed_as_the_reference_has_them) {
    for (std::string const matrix :
         {"poisson2d:30", "rmat:9,8", "circuit:900", "lp:20,400", "dense:3,500", "dense:9"}) {
        auto const a = to_csr(generate<double>(matrix));
        csr5<double> const tiles(cpu(1), a, {.omega = 8, .sigma = 4});
        std::vector<double> x;
        for (std::int64_t j = 0; j < a.column_count; ++j) x.push_back(std::sin(static_cast<double>(j)));
        std::vector<double> expected(static_cast<std::size_t>(a.row_count));
        auto const bound = reference::spmv_error_bound<double>(1, a, false, x, 0, expected);
        reference::spmv<double>(1, a, false, x, 0, expected);
        EXPECT_LE(reference::max_error<double>(multiply(tiles, segment_sums::segment_by_segment, x), expected, bound),
                  1)
            << matrix;
        auto const loose = prefix_difference_bound<double>(tiles, x);
        EXPECT_LE(reference::max_error<double>(multiply(tiles, segment_sums::prefix_differences, x), expected, loose),
                  1)
            << matrix;
    }
}

TEST(csr5_prefix_difference, integers_are_exact_and_factors_apply) {
    auto const a = to_csr(generate<double>("poisson2d:20"));
    csr5<double> const tiles(cpu(1), a);
    std::vector<double> x, y, expected;
    for (std::int64_t j = 0; j < a.column_count; ++j) x.push_back(static_cast<double>(j % 7));
    for (std::int64_t i = 0; i < a.row_count; ++i) y.push_back(static_cast<double>(i % 5));
    expected = y;
    reference::spmv<double>(3, a, false, x, -2, expected);
    multiply_csr5_plainly<double>(2, segment_sums::prefix_differences, 3, tiles, x, -2, y);
    EXPECT_EQ(y, expected);
}

}  // namespace
}  // namespace copse::bench
