// What is made and checked on the GPU, by the same code on the host: the generators' matrices; right and wrong
// products.
#include "bench/gpu_comparison/row_formula.hpp"

#include <gtest/gtest.h>

#include <bench/csr_pointers.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/generators/random.hpp>
#include <copse/runtime/error.hpp>
#include <limits>
#include <map>

#include "bench/gpu_comparison/row_check.hpp"

namespace copse::bench {
namespace {

/// As a kernel writes it: every row on its own.
template <class T, class Rows>
csr<T> rows_of_formula(Rows const& rows) {
    csr<T> a;
    auto const count = rows.row_count();
    a.row_count = count;
    a.column_count = rows.column_count();
    a.row_offsets.resize(static_cast<std::size_t>(count + 1));
    a.column_indices.resize(static_cast<std::size_t>(rows.first_entry(count)), -1);
    a.values.resize(a.column_indices.size());
    for (std::int64_t i = 0; i <= count; ++i) a.row_offsets[i] = rows.first_entry(i);
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t k = a.row_offsets[i];
        rows.visit(i, [&](std::int64_t column, double value) {
            a.column_indices[k] = static_cast<std::int32_t>(column);
            a.values[k] = static_cast<T>(value);
            ++k;
        });
        EXPECT_EQ(k, a.row_offsets[i + 1]) << "row " << i;
    }
    return a;
}

template <class T>
csr<T> rows_by(row_formula const& formula) {
    return std::visit([](auto const& rows) { return rows_of_formula<T>(rows); }, formula);
}

TEST(row_formula, has_the_entries_of_the_generators) {
    for (std::string const name : {"poisson3d:1", "poisson3d:2", "poisson3d:5", "poisson3d:4,3,6", "poisson3d:1,7,2",
                                   "stencil27:1", "stencil27:2", "stencil27:6", "stencil27:5,1,3", "stencil27:2,3,4",
                                   "uniform:100", "uniform:37,5,9", "uniform:3,8"}) {
        auto const formula = formula_of(name);
        ASSERT_TRUE(formula) << name;
        auto const a = rows_by<float>(*formula), expected = to_csr(generate<float>(name));
        EXPECT_EQ(a.row_count, expected.row_count) << name;
        EXPECT_EQ(a.column_count, expected.column_count) << name;
        EXPECT_EQ(a.row_offsets, expected.row_offsets) << name;
        EXPECT_EQ(a.column_indices, expected.column_indices) << name;
        EXPECT_EQ(a.values, expected.values) << name;
    }
}

/// The entries of each row of `a`, `by` columns further, round the end.
csr<float> rotated(csr<float> a, std::int64_t by) {
    for (std::int64_t i = 0; i < a.row_count; ++i) {
        std::map<std::int32_t, float> row;
        for (auto k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k)
            row[static_cast<std::int32_t>((a.column_indices[k] + by) % a.column_count)] = a.values[k];
        auto k = a.row_offsets[i];
        for (auto const& [column, value] : row) {
            a.column_indices[k] = column;
            a.values[k++] = value;
        }
    }
    return a;
}

TEST(row_formula, is_rotated_by_columns) {
    for (std::string const name :
         {"poisson3d:1", "poisson3d:4,3,6", "stencil27:2,3,4", "uniform:37,5,9", "uniform:3,8"})
        for (std::int64_t const by : {0, 1}) {
            auto const made = std::visit(
                [&]<class Rows>(Rows const& rows) {
                    return rows_of_formula<float>(rotated_rows<Rows>{rows, by});
                },
                formula_for_gpu(name));
            auto const expected = rotated(to_csr(generate<float>(name)), by);
            EXPECT_EQ(made.row_offsets, expected.row_offsets) << name;
            EXPECT_EQ(made.column_indices, expected.column_indices) << name;
            EXPECT_EQ(made.values, expected.values) << name;
        }
}

TEST(row_formula, counts_beyond_32_bits) {
    auto const rows = std::get<stencil27_rows>(formula_of("stencil27:1000").value());
    EXPECT_EQ(rows.first_entry(rows.row_count()), std::int64_t{2998} * 2998 * 2998);
}

TEST(row_formula, refuses_other_names_and_numbers) {
    EXPECT_FALSE(formula_of("dense:10"));
    EXPECT_FALSE(formula_of("poisson3d"));
    for (std::string const wrong : {"poisson3d:", "poisson3d:0", "poisson3d:1291", "stencil27:4,", "stencil27:4x",
                                    "uniform:1,2,3,4", "uniform:-4"})
        EXPECT_THROW(formula_of(wrong), argument_error) << wrong;
}

template <class T>
careful_sum sum_of(csr<T> const& a, std::int64_t row, std::vector<T> const& x) {
    careful_sum sum;
    for (auto k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k)
        sum.add(static_cast<double>(a.values[k]), static_cast<double>(x[a.column_indices[k]]));
    return sum;
}

template <class T>
void check_agreement_with_the_formula() {
    auto const a = to_csr(generate<T>("uniform:500,20"));
    detail::random_sequence const random(3, 0);
    std::vector<T> x(500), y(500);
    for (std::int64_t i = 0; i < 500; ++i) x[i] = static_cast<T>(random.signed_unit(i));
    reference::spmv<T>(T(1), a, false, x, T(0), y);
    auto const bound = reference::spmv_error_bound<T>(T(1), a, false, x, T(0), y);
    for (std::int64_t i = 0; i < 500; ++i) {
        auto const sum = sum_of(a, i, x);
        EXPECT_LE(error_of(y[i], sum), 0.1);
        auto const off = [&](double bounds) { return static_cast<T>(y[i] + bounds * static_cast<double>(bound[i])); };
        EXPECT_LT(error_of(off(0.5), sum), 1);
        EXPECT_GT(error_of(off(2), sum), 1);
    }
}

TEST(row_check, has_the_bound_of_the_reference) {
    check_agreement_with_the_formula<float>();
    check_agreement_with_the_formula<double>();
}

/// As kernels do it, a lane after the other.
template <class T>
std::vector<element_sum> sums_by_lanes(csr<T> const& a, bool transpose, std::vector<T> const& x) {
    int constexpr lanes = 32;
    std::vector<element_sum> sums(static_cast<std::size_t>(transpose ? a.column_count : a.row_count));
    for (std::int64_t i = 0; i < a.row_count; ++i) {
        careful_sum of_row;
        for (int lane = 0; lane < lanes; ++lane)
            if (transpose)
                scatter_part(pointers_to(a), x.data(), i, lane, lanes, sums.data(),
                             [](double* p, double value) { *p += value; });
            else
                of_row.add(sum_part(pointers_to(a), x.data(), i, lane, lanes));
        if (!transpose) sums[static_cast<std::size_t>(i)] = element_of(of_row);
    }
    return sums;
}

/// Right results are within the bound; one that is off by twice the bound, in whatever element, is beyond it. That of
/// sums of doubles is twice the reference's, and three more.
template <class T>
void check_products(std::string const& name, bool transpose) {
    SCOPED_TRACE(name + (transpose ? ", A^T x" : ", A x"));
    auto const a = to_csr(generate<T>(name));
    detail::random_sequence const random(3, 0);
    auto const n = static_cast<std::size_t>(transpose ? a.row_count : a.column_count);
    std::vector<T> x(n), y(static_cast<std::size_t>(transpose ? a.column_count : a.row_count));
    for (std::size_t j = 0; j < n; ++j) x[j] = static_cast<T>(random.signed_unit(static_cast<std::int64_t>(j)));
    reference::spmv<T>(T(1), a, transpose, x, T(0), y);
    auto const bound = reference::spmv_error_bound<T>(T(1), a, transpose, x, T(0), y);
    auto const sums = sums_by_lanes(a, transpose, x);
    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_LE(error_of(y[i], sums[i], transpose), 0.2) << i;
        double const wrong = 5 * static_cast<double>(bound[i]);
        EXPECT_GT(error_of(static_cast<T>(y[i] + wrong), sums[i], transpose), 1) << i;
        EXPECT_GT(error_of(static_cast<T>(y[i] - wrong), sums[i], transpose), 1) << i;
        EXPECT_EQ(error_of(std::numeric_limits<T>::quiet_NaN(), sums[i], transpose), HUGE_VAL) << i;
    }
}

/// Rows shorter than a warp and far longer, columns too.
TEST(row_check, lanes_find_wrong_products) {
    for (std::string const name : {"uniform:300,20", "lp:20,3000", "circuit:2000", "dense:100", "permutation:50"})
        for (bool const transpose : {false, true}) {
            check_products<float>(name, transpose);
            check_products<double>(name, transpose);
        }
}

/// An element without products is zero.
TEST(row_check, no_products_make_zero) {
    EXPECT_EQ(error_of(0.0, element_sum{}, true), 0);
    EXPECT_EQ(error_of(1e-300, element_sum{}, false), HUGE_VAL);
}

TEST(row_check, sums_of_lanes_are_in_twice_the_precision) {
    careful_sum sum, other;
    for (double const x : {1e20, 1.0}) sum.add(1, x);
    for (double const x : {-1e20, 3.0}) other.add(1, x);
    sum.add(other);
    EXPECT_EQ(sum.value(), 4);
    EXPECT_EQ(sum.magnitude, 2e20);
    EXPECT_EQ(sum.count, 4);
}

TEST(row_check, sums_in_twice_the_precision) {
    careful_sum sum;
    for (double const x : {1e20, 1.0, -1e20}) sum.add(1, x);
    EXPECT_EQ(sum.value(), 1);
    careful_sum of_products;  // (1 + e)^2 - 1 - 2 e = e^2
    of_products.add(1 + 0x1p-30, 1 + 0x1p-30);
    of_products.add(1, -1 - 0x1p-29);
    EXPECT_EQ(of_products.value(), 0x1p-60);
}

TEST(row_check, what_is_no_number_is_wrong) {
    careful_sum sum;
    sum.add(1, 1);
    EXPECT_EQ(error_of(std::numeric_limits<double>::quiet_NaN(), sum), HUGE_VAL);
    EXPECT_GT(error_of(std::numeric_limits<double>::infinity(), sum), 1);
    EXPECT_EQ(error_of(0.0, careful_sum{}), 0);
    EXPECT_EQ(error_of(1e-300, careful_sum{}), HUGE_VAL);  // a row without entries is zero
}

}  // namespace
}  // namespace copse::bench
