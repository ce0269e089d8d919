// Products of one flat format on one executor against the reference, over the battery.
//
//   struct makes_csr { template <class T, class Executor> csr_matrix<T> operator()(Executor&, csr<T> const&) const; };
//   check_flat_battery(executor, makes_csr(), whole_battery());
#pragma once

#include <gtest/gtest.h>

#include <algebra/spmv_suite.hpp>
#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <cstring>
#include <vector>

namespace copse::tests {

/// One product of a matrix in the format, or of a plan for its transpose, transposed.
template <class T, class Executor, class Make>
void check_flat_product(Executor& executor, Make const& make, battery_case const& c, product_case const& p,
                        special_values special = special_values::none, bool by_plan = false) {
    csr<T> const a = to_csr(with_values_of<T>(c.matrix));
    auto const alpha = static_cast<T>(p.alpha), beta = static_cast<T>(p.beta), scale = static_cast<T>(p.scale);
    auto matrix = scaled(make.template operator()<T>(executor, a), scale);
    if (p.transposed) matrix = transposed(matrix);

    std::vector<T> const x = input_vector<T>(matrix.column_count(), special);
    std::vector<T> const before = output_before(matrix.row_count(), beta);
    std::vector<T> expected = before;
    reference::spmv<T>(alpha * scale, a, p.transposed, x, beta, expected);
    auto const bound = reference::spmv_error_bound<T>(alpha * scale, a, p.transposed, x, beta, before);

    buffer<T> const x_there(executor, x);
    buffer<T> const y_there(executor, before);
    if (by_plan)
        spmv(executor, alpha, transposed(flat_plan(executor, transposed(matrix))), x_there, beta, y_there);
    else
        spmv(executor, alpha, matrix, x_there, beta, y_there);
    std::vector<T> const y = y_there.to_host();
    EXPECT_LE(reference::max_error<T>(y, expected, bound), 1)
        << c.name << (p.transposed ? ", transposed" : "") << (by_plan ? ", by plan" : "") << ", alpha " << p.alpha
        << ", beta " << p.beta << ", scale " << p.scale << (sizeof(T) == 4 ? ", float" : ", double");
}

template <class Executor, class Make>
void check_flat_battery(Executor& executor, Make const& make, std::vector<battery_case> const& cases) {
    for (battery_case const& c : cases) {
        for (product_case const& p : product_cases()) {
            check_flat_product<double>(executor, make, c, p);
            check_flat_product<float>(executor, make, c, p);
        }
        check_flat_product<double>(executor, make, c, {false, -2, 0.5, 3}, special_values::none, true);
        check_flat_product<float>(executor, make, c, {true, 2, 0, -1}, special_values::none, true);
        for (bool transposed : {false, true})
            for (bool by_plan : {false, true})
                check_flat_product<double>(executor, make, c, {transposed, 2, 0}, special_values::nan_and_infinity_in_x,
                                           by_plan);
    }
}

/// Few products for each case: every lane is a fiber.
template <class Executor, class Make>
void check_flat_battery_briefly(Executor& executor, Make const& make, std::vector<battery_case> const& cases) {
    for (battery_case const& c : cases) {
        check_flat_product<double>(executor, make, c, {false, 2, 0.5, 3});
        check_flat_product<float>(executor, make, c, {true, -1, 0, 1});
        check_flat_product<double>(executor, make, c, {false, 1, 0}, special_values::nan_and_infinity_in_x);
    }
}

/// A x, and A^T x by a plan, give the same bits every time.
template <class Executor, class Make>
void check_same_bits(Executor& executor, Make const& make, battery_case const& c, int repeats) {
    csr<double> const a = to_csr(c.matrix);
    flat_plan const plan(executor, make.template operator()<double>(executor, a));
    for (auto const& op : {plan, transposed(plan)}) {
        buffer<double> const x(executor, input_vector<double>(op.column_count(), special_values::none));
        std::vector<double> first;
        for (int repeat = 0; repeat < repeats; ++repeat) {
            buffer<double> const y(executor, output_before<double>(op.row_count(), 0));
            if (repeat % 2 == 0 || op.matrix().is_transposed())
                spmv(executor, 1, op, x, 0, y);
            else
                spmv(executor, 1, op.matrix(), x, 0, y);  // the same without the plan
            std::vector<double> const result = y.to_host();
            if (first.empty()) first = result;
            ASSERT_EQ(std::memcmp(result.data(), first.data(), first.size() * sizeof(double)), 0) << c.name;
        }
    }
}

/// There and back: the same entries, with the state of the matrix applied.
template <class Executor, class Make>
void check_flat_round_trip(Executor& executor, Make const& make, std::vector<battery_case> const& cases) {
    for (battery_case const& c : cases) {
        csr<double> const a = to_csr(c.matrix);
        auto const there = make.template operator()<double>(executor, a);
        auto const same = [&](csr<double> const& found, csr<double> const& wanted) {
            EXPECT_EQ(found.row_count, wanted.row_count) << c.name;
            EXPECT_EQ(found.column_count, wanted.column_count) << c.name;
            EXPECT_EQ(found.row_offsets, wanted.row_offsets) << c.name;
            EXPECT_EQ(found.column_indices, wanted.column_indices) << c.name;
            EXPECT_EQ(found.values, wanted.values) << c.name;
        };
        same(to_csr(there), a);
        csr<double> turned = transpose(a);
        for (double& value : turned.values) value *= -2;
        same(to_csr(scaled(transposed(there), -2)), turned);
    }
}

}  // namespace copse::tests
