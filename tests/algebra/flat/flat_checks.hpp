// Products of one flat format against the reference, over the battery, in the forms of a maker (flat_makers.hpp).
//
//   check_flat_battery({&executor}, makes_csr5::main_forms(), whole_battery());
#pragma once

#include <gtest/gtest.h>

#include <algebra/flat/flat_makers.hpp>
#include <algebra/products.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace copse::tests {

/// One matrix in a form of a format, for one executor.
template <class T, class Executor, class Make>
class flat_candidate {
    using matrix = decltype(std::declval<Make const&>().template operator()<T>(std::declval<Executor&>(), csr<T>()));

  public:
    flat_candidate(Executor& executor, Make const& make, csr<T> const& a, std::string const& name)
        : executor_(executor), matrix_(make.template operator()<T>(executor, a)), name_(name + ", " + make.name()) {}

    void check(expected_product<T> const& expected) const {
        matrix const with_scale = scaled(matrix_, expected.scale());
        check(expected, expected.which().transposed ? transposed(with_scale) : with_scale, name_);
    }
    /// By a plan for the transpose, with a state of its own.
    void check_by_plan(expected_product<T> const& expected) {
        if (!plan_) plan_.emplace(executor_, transposed(scaled(matrix_, T(-0.5))));
        auto const with_scale = scaled(*plan_, T(-2) * expected.scale());
        check(expected, expected.which().transposed ? with_scale : transposed(with_scale), name_ + ", by plan");
    }

  private:
    template <class Operand>
    void check(expected_product<T> const& expected, Operand const& operand, std::string const& what) const {
        expected.check(
            executor_,
            [&](T alpha, buffer<T> const& x, T beta, buffer<T> const& y) {
                spmv(executor_, alpha, operand, x, beta, y);
            },
            what);
    }

    Executor& executor_;
    matrix matrix_;
    std::string name_;
    std::optional<flat_plan<matrix>> plan_;
};

/// A matrix in each form for each executor. The reference's results are computed once for all of them: they take most
/// of the time.
template <class T, class Executor, class Make>
class flat_candidates {
  public:
    flat_candidates(std::initializer_list<Executor*> executors, std::vector<Make> const& forms, battery_case const& c)
        : a_(to_csr(with_values_of<T>(c.matrix))) {
        for (Executor* const executor : executors)
            for (Make const& make : forms) all_.emplace_back(*executor, make, a_, c.name);
    }

    enum way { directly, by_plan, both_ways };
    void check(product_case const& p, way how = directly, special_values special = special_values::none) {
        expected_product<T> const expected(a_, p, special);
        for (auto& one : all_) {
            if (how != by_plan) one.check(expected);
            if (how != directly) one.check_by_plan(expected);
        }
    }

  private:
    csr<T> const a_;
    std::deque<flat_candidate<T, Executor, Make>> all_;
};

template <class Executor, class Make>
void check_flat_battery(std::initializer_list<Executor*> executors, std::vector<Make> const& forms,
                        std::vector<battery_case> const& cases) {
    for (battery_case const& c : cases) {
        flat_candidates<double, Executor, Make> doubles(executors, forms, c);
        flat_candidates<float, Executor, Make> floats(executors, forms, c);
        for (product_case const& p : product_cases()) {
            doubles.check(p);
            floats.check(p);
        }
        doubles.check({false, -2, 0.5, 3}, doubles.by_plan);
        floats.check({true, 2, 0, -1}, floats.by_plan);
        for (bool transposed : {false, true})
            doubles.check({transposed, 2, 0}, doubles.both_ways, special_values::nan_and_infinity_in_x);
    }
}

/// Few products for each case: every lane is a fiber.
template <class Executor, class Make>
void check_flat_battery_briefly(std::initializer_list<Executor*> executors, std::vector<Make> const& forms,
                                std::vector<battery_case> const& cases) {
    for (battery_case const& c : cases) {
        flat_candidates<double, Executor, Make> doubles(executors, forms, c);
        flat_candidates<float, Executor, Make> floats(executors, forms, c);
        doubles.check({false, 2, 0.5, 3});
        floats.check({true, -1, 0, 1});
        doubles.check({false, 1, 0}, doubles.directly, special_values::nan_and_infinity_in_x);
    }
}

template <class T, class Executor, class Make>
void check_flat_factors(std::initializer_list<Executor*> executors, std::vector<Make> const& forms,
                        battery_case const& c, factor_cases const& factors) {
    flat_candidates<T, Executor, Make> candidates(executors, forms, c);
    for (product_case const& p : factors.not_finite)
        candidates.check(p, candidates.both_ways, special_values::whole_numbers);
    for (product_case const& p : factors.zero)
        candidates.check(p, candidates.both_ways, special_values::nan_and_infinity_in_x);
}
template <class Executor, class Make>
void check_all_flat_factors(std::initializer_list<Executor*> executors, std::vector<Make> const& forms) {
    for (battery_case const& c : whole_number_battery()) {
        check_flat_factors<double>(executors, forms, c, all_factors());
        check_flat_factors<float>(executors, forms, c, all_factors());
    }
}
/// Few products for each case: every lane is a fiber.
template <class Executor, class Make>
void check_flat_factors_in_turn(Executor& executor, std::vector<Make> const& forms) {
    std::size_t turn = 0;
    for (battery_case const& c : small_whole_number_battery()) {
        check_flat_factors<double>({&executor}, forms, c, factors_in_turn(turn));
        check_flat_factors<float>({&executor}, forms, c, factors_in_turn(turn + 3));
        ++turn;
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
            ASSERT_EQ(std::memcmp(result.data(), first.data(), first.size() * sizeof(double)), 0)
                << c.name << ", " << make.name();
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

/// A row of many tiles, or parts, among short ones.
inline battery_case long_row(std::int64_t columns) {
    return {"long row", matrix_of_rows(300, columns, [=](auto i) {
                return i == 100 ? every(0, 1, columns) : every(i, columns / 4 - 1, columns);
            })};
}

}  // namespace copse::tests
