// Sums by plans on one executor, beside the union of two lists of entries and beside add() without a plan.
#pragma once

#include <algebra/sums/add_suite.hpp>
#include <algebra/values/share_transposed_suite.hpp>
#include <array>
#include <copse/algebra/add.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <limits>
#include <some_cases.hpp>
#include <span>
#include <utility>

namespace copse::tests {

/// op(A) with other values in A's structure.
template <class T, class Executor>
hisparse<T> renewed(Executor& executor, hisparse<T> const& a) {
    std::vector<T> values = to_csr(a).values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = T(2) - values[i] * static_cast<T>(i % 5);
    buffer<T> const given(executor, values);
    return with_values(executor, a, given);
}

template <class T, class Executor>
void check_planned_sum(Executor& executor, battery_case const& c, partner kind, sum_case const& s) {
    sum_operands<T> const of(executor.memory(), c, kind, s);
    SCOPED_TRACE(of.name);
    sum_plan<T> const plan(executor, of.op_a, of.op_b);
    hisparse<T> const sum = add(executor, plan, static_cast<T>(s.alpha), of.op_a, static_cast<T>(s.beta), of.op_b);
    of.expect(sum, s);
    expect_nodes_of_conversion(executor, sum);
    EXPECT_EQ(plan.entry_count(), sum.entry_count());
    if (of.op_a.entry_count() == 0 || of.op_b.entry_count() == 0) return;
    // Other values and factors, while somebody has the sum.
    hisparse<T> const new_a = renewed(executor, of.op_a), new_b = renewed(executor, of.op_b);
    hisparse<T> const next = add(executor, plan, T(-3), new_a, T(0.5), new_b);
    expect_sum<T>(next, -3, to_csr(new_a), 0.5, to_csr(new_b), "renewed");
    of.expect(sum, s);
    EXPECT_EQ(next.content()->notes, sum.content()->notes);
}
template <class Executor>
void check_planned_sums(Executor& executor, std::vector<battery_case> const& cases) {
    for_each_sum(cases, [&]<class T>(std::type_identity<T>, battery_case const& c, partner kind, sum_case const& s) {
        check_planned_sum<T>(executor, c, kind, s);
    });
}

/// Operands that store values once, or blocks and their transposes: bit by bit what add() says of a value each.
template <class T, class Executor>
void check_planned_sums_of(Executor& executor, both_ways<T> const& a, zeros of_sums = zeros::as_they_are) {
    for (bool turn : {false, true}) {
        auto const other = [&](hisparse<T> const& m) { return turn ? transposed(m) : m; };
        sum_plan<T> const plan(executor, a.once, other(a.once));
        expect_same_bits(add(executor, plan, T(2), a.once, T(-4), other(a.once)),
                         add(executor, T(2), a.each, T(-4), other(a.each)), "planned", of_sums);
    }
}
template <class T, class Executor>
void check_planned_sums_of_once(Executor& executor) {
    for (pattern_case const& c : some_of(pattern_cases())) {
        SCOPED_TRACE(c.name);
        if (c.pattern.row_count != c.pattern.column_count) continue;
        for (repeated which : {repeated::all, repeated::along_diagonals, repeated::nearly_all})
            check_planned_sums_of(
                executor,
                stored_both_ways<T>(executor, with_repeated_values(in_order(c.pattern), which, c.node_dimension),
                                    c.node_dimension));
        check_planned_sums_of(executor,
                              stored_both_ways<T>(executor, symmetric(c.pattern, -1), shared_by(c.node_dimension)),
                              zeros::of_any_sign);
    }
}

/// Zeros keep their sign, factors of Inf and NaN meet entries only, and scales are factors.
template <class T, class Executor>
void check_special_values_of_planned_sums(Executor& executor) {
    T const inf = std::numeric_limits<T>::infinity();
    coo<T> const only_a{200, 200, {0, 3}, {7, 150}, {T(-0.0), T(1)}};
    coo<T> const only_b{200, 200, {3, 90}, {150, 9}, {T(-1), T(-0.0)}};
    hisparse<T> const a(executor, only_a), b(executor, only_b);
    sum_plan<T> const plan(executor, a, b);
    EXPECT_EQ(bits_of(to_csr(add(executor, plan, T(1), a, T(1), b)).values),
              bits_of(std::vector<T>{T(-0.0), T(0), T(-0.0)}));
    EXPECT_EQ(to_csr(add(executor, plan, T(2), scaled(a, T(3)), T(4), scaled(b, T(5)))).values,
              (std::vector<T>{T(0), T(-14), T(0)}));
    std::vector<T> const found = to_csr(add(executor, plan, inf, a, T(1), b)).values;
    EXPECT_TRUE(std::isnan(found[0]));
    EXPECT_EQ(found[1], inf);
    EXPECT_EQ(found[2], T(0));
}

/// Where a sum lies: where an earlier one lay that nobody has.
template <class Executor>
void check_places_of_planned_sums(Executor& executor) {
    csr<double> const rows = to_csr(scattered(3000, 3000, 30000, 8));
    hisparse<double> const a(executor, rows), b = transposed(a);
    sum_plan<double> const plan(executor, a, b);
    std::int64_t const alone = plan.bytes();
    auto const place_of = [](hisparse<double> const& m) { return m.content()->arenas.front().memory->data(); };
    auto sum = [&](double beta) { return add(executor, plan, 1.0, a, beta, b); };
    auto const expect = [&](hisparse<double> const& c, double beta) {
        expect_sum<double>(c, 1, rows, beta, copse::transpose(rows), "beta " + std::to_string(beta));
    };
    std::byte const* const first = place_of(sum(1));
    hisparse<double> c = sum(2);
    EXPECT_EQ(place_of(c), first);
    EXPECT_EQ(plan.bytes(), alone);
    spmv_plan<double> products(executor, c);
    c = sum(3);  // `products` has the one before
    std::byte const* const second = place_of(c);
    EXPECT_NE(second, first);
    EXPECT_GT(plan.bytes(), alone);
    expect(products.matrix(), 2);
    for (int step = 4; step < 8; ++step) {
        products = update(products, c);
        c = sum(step);
        EXPECT_EQ(place_of(c), step % 2 == 0 ? first : second);
        expect(c, step);
        expect(products.matrix(), step - 1);
    }
    // Edits share its nodes.
    hisparse<double> const edited = edit(c, edits<double>().set(0, 0, 17.0));
    c = a;
    ASSERT_EQ(edited.content()->arenas.size(), 2u);
    std::vector<double> const values = to_csr(edited).values;
    hisparse<double> const third = sum(1);
    products = spmv_plan<double>(executor, third);
    hisparse<double> const fourth = sum(9);
    EXPECT_EQ(to_csr(edited).values, values);
    expect(third, 1);
    expect(fourth, 9);
}

/// The lists of a product's plan follow new sums.
template <class T, class Executor>
void check_products_of_planned_sums(Executor& executor, hisparse<T> const& a, hisparse<T> const& b) {
    sum_plan<T> const sums(executor, a, b);
    hisparse<T> c = add(executor, sums, T(1), a, T(2), b);
    spmv_plan<T> plan(executor, c);
    for (T beta : {T(3), T(-1), T(0.5)}) {
        c = add(executor, sums, T(1), a, beta, b);
        plan = update(plan, c);
        csr<T> const now = to_csr(c);
        for (bool turned : {false, true}) {
            expected_product<T> const expected(now, {turned, 2, -1, 0.5}, special_values::none);
            spmv_plan<T> const scaled_plan = scaled(turned ? transposed(plan) : plan, expected.scale());
            expected.check(
                executor,
                [&](T alpha, buffer<T> const& x, T gamma, buffer<T> const& y) {
                    spmv(executor, alpha, scaled_plan, x, gamma, y);
                },
                "updated");
        }
    }
}

/// In wide leaves.
template <class T, class Executor>
void check_products_of_planned_sums(Executor& executor) {
    hisparse<T> const a(executor, to_csr(with_values_of<T>(scattered(9000, 9000, 3000, 3))));
    ASSERT_GT(a.census().wide_leaves(), 0);
    check_products_of_planned_sums(executor, a, transposed(a));
}

/// Of three operands, one of them twice.
template <class T, class Executor>
void check_planned_sums_of_several(Executor& executor) {
    csr<T> const rows = to_csr(with_values_of<T>(scattered(500, 500, 2000, 5)));
    hisparse<T> const a(executor, rows),
        diagonal(executor, matrix_where(500, 500, [](auto i, auto j) { return i == j; }));
    std::array const operands{a, transposed(a), diagonal};
    sum_plan<T> const plan(executor, operands);
    EXPECT_EQ(plan.operand_count(), 3);
    std::array const factors{T(1), T(-2), T(4)};
    expect_same_bits(add(executor, plan, std::span<T const>(factors), std::span<hisparse<T> const>(operands)),
                     add(executor, T(1), add(executor, T(1), a, T(-2), transposed(a)), T(4), diagonal), "three");
    sum_plan<T> const alone(executor, std::span<hisparse<T> const>(&a, 1));
    expect_same_bits(
        add(executor, alone, std::span<T const>(factors.data() + 1, 1), std::span<hisparse<T> const>(&a, 1)),
        scaled(a, T(-2)), "one");
}

}  // namespace copse::tests
