// What holds of plans and of new values on every executor.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/products.hpp>
#include <cmath>
#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <limits>
#include <runtime/message_of.hpp>
#include <string>
#include <vector>

namespace copse::tests {

/// A matrix of float, vectors of double.
template <class Executor>
void check_float_matrix(Executor& executor, coo<double> const& shape) {
    coo<float> const a = with_values_of<float>(shape);
    csr<double> const exact = to_csr(coo<double>{a.row_count, a.column_count, a.rows, a.columns,
                                                 std::vector<double>(a.values.begin(), a.values.end())});
    spmv_plan<float> const plan(executor, hisparse<float>(executor.memory(), a, {.node_dimension = 64}));
    for (bool turned : {false, true}) {
        auto const op = turned ? transposed(plan) : plan;
        auto const x = input_vector<double>(op.column_count(), special_values::none);
        auto expected = output_before<double>(op.row_count(), 0.5);
        buffer<double> const x_there(executor, x), y(executor, expected);
        auto const bound = reference::spmv_error_bound<double>(2, exact, turned, x, 0.5, expected);
        reference::spmv<double>(2, exact, turned, x, 0.5, expected);
        spmv(executor, 2.0, op, x_there, 0.5, y);
        EXPECT_LE(reference::max_error<double>(y.to_host(), expected, bound), 1) << turned;
    }
}

/// The same by factors that are not finite, and by such as are zero.
template <class Executor>
void check_float_matrix_by_factors(Executor& executor, battery_case const& c, factor_cases const& factors) {
    csr<double> const exact = to_csr(c.matrix);
    spmv_plan<float> const plan(
        executor, hisparse<float>(executor.memory(), with_values_of<float>(c.matrix), {.node_dimension = 64}));
    auto const check = [&](product_case const& p, special_values special) {
        auto const scale = static_cast<float>(p.scale);
        if (scale != p.scale && !std::isnan(scale)) return;  // another in float
        auto const op = scaled(p.transposed ? transposed(plan) : plan, scale);
        expected_product<double>(exact, p, special)
            .check(
                executor,
                [&](double alpha, buffer<double> const& x, double beta, buffer<double> const& y) {
                    spmv(executor, alpha, op, x, beta, y);
                },
                c.name + ", float matrix");
    };
    for (product_case const& p : factors.not_finite) check(p, special_values::whole_numbers);
    for (product_case const& p : factors.zero) check(p, special_values::nan_and_infinity_in_x);
}

/// Others than the battery has; exact in float, and when divided by 4.
template <class T>
std::vector<T> other_values(std::int64_t count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<T>(k % 1021) - 500;
    return values;
}

/// `a`: in the executor's memory.
template <class T, class Executor>
void check_new_values(Executor& executor, hisparse<T> const& a, std::string const& name) {
    auto const before = to_csr(a);
    auto const values = other_values<T>(a.entry_count());
    hisparse<T> const b = with_values(executor, a, buffer<T>(executor, values));
    csr<T> const after = to_csr(b);
    EXPECT_EQ(after.row_offsets, before.row_offsets) << name;
    EXPECT_EQ(after.column_indices, before.column_indices) << name;
    EXPECT_EQ(after.values, values) << name;
    EXPECT_EQ(to_csr(a).values, before.values) << name;  // as it was
    EXPECT_EQ(b.content()->root, a.content()->root) << name;
    EXPECT_EQ(b.is_transposed(), a.is_transposed()) << name;
    // Again, from the notes.
    EXPECT_EQ(to_csr(with_values(executor, b, buffer<T>(executor, before.values))).values, before.values) << name;
}

/// Of the only one that cannot be stored among the values for op(A).
template <class Executor>
void check_refused_value(Executor& executor) {
    coo<double> const entries = scattered(400, 300, 9000, 4);
    hisparse<double> const a = hisparse<double>(executor, entries).transposed().scaled(1e300);
    coo<double> const shown = to_coo(a);
    std::vector<double> values(shown.values.size(), 1);
    std::size_t const k = values.size() / 2 + 3;
    values[k] = 1e-30;
    EXPECT_EQ(message_of<argument_error>([&] { with_values(executor, a, buffer<double>(executor, values)); }),
              "with_values: the value for row " + std::to_string(shown.rows[k]) + ", column " +
                  std::to_string(shown.columns[k]) +
                  " (counted from 0) of 1e-30 cannot be stored under the matrix's scale of 1e+300: divided by the "
                  "scale, the value is "
                  "too large or too small to be read back; give values to the matrix before it is scaled");
    EXPECT_EQ(to_coo(a).values, shown.values);  // as it was
    values[k] = 0;
    EXPECT_EQ(to_coo(with_values(executor, a, buffer<double>(executor, values))).values[k], 0);
    values[k] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(to_coo(with_values(executor, a, buffer<double>(executor, values))).values[k], values[k]);
    hisparse<double> const small = hisparse<double>(executor, entries).scaled(1e-300);
    std::vector<double> large(values.size(), 0);
    large.front() = 1e10;
    EXPECT_THROW(with_values(executor, small, buffer<double>(executor, large)), argument_error);
    large.front() = 1e-300;
    EXPECT_EQ(to_coo(with_values(executor, small, buffer<double>(executor, large))).values.front(), 1e-300);
}

}  // namespace copse::tests
