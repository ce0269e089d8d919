// Sums by plans of matrices that store sub-trees once for several places, beside sums by plans of the same matrices
// that store all: they say the same, and C stores once what all operands do.
#pragma once

#include <algebra/sums/sum_plan_suite.hpp>
#include <algebra/sums/sum_twins_suite.hpp>
#include <some_cases.hpp>

namespace copse::tests {

/// Other values, symmetric where A's are, and skew where A's are.
template <class T, class Executor>
hisparse<T> with_odd_function(Executor& executor, hisparse<T> const& a) {
    std::vector<T> values = to_csr(a).values;
    for (T& value : values) value *= value * value - T(2);
    buffer<T> const given(executor, values);
    return with_values(executor, a, given);
}
template <class T>
both_ways<T> in_state(both_ways<T> const& m, bool transpose, double scale) {
    auto const op = [&](hisparse<T> const& a) { return scaled(transpose ? transposed(a) : a, static_cast<T>(scale)); };
    return {op(m.each), op(m.once)};
}

/// One plan of those that store once, and one of the others.
template <class T, class Executor>
class planned_both_ways {
  public:
    planned_both_ways(Executor& executor, std::vector<both_ways<T>> const& operands, zeros of_sums)
        : executor_(executor),
          of_sums_(of_sums),
          once_(executor, those(operands, &both_ways<T>::once)),
          each_(executor, those(operands, &both_ways<T>::each)) {}

    both_ways<T> check(std::vector<both_ways<T>> const& operands, std::vector<T> const& factors, char const* what) {
        auto const sum = [&](sum_plan<T> const& plan, std::vector<hisparse<T>> const& terms) {
            return add(executor_, plan, std::span<T const>(factors), std::span<hisparse<T> const>(terms));
        };
        both_ways<T> const c{sum(each_, those(operands, &both_ways<T>::each)),
                             sum(once_, those(operands, &both_ways<T>::once))};
        expect_same_bits(c.once, c.each, what, of_sums_);
        EXPECT_EQ(c.once.census().visits, c.each.census().visits) << what;
        EXPECT_EQ(once_.entry_count(), c.each.entry_count());
        check_tree_anywhere(c.once);
        return c;
    }
    zeros of_sums() const { return of_sums_; }

  private:
    static std::vector<hisparse<T>> those(std::vector<both_ways<T>> const& operands, hisparse<T> both_ways<T>::*which) {
        std::vector<hisparse<T>> list;
        for (both_ways<T> const& m : operands) list.push_back(m.*which);
        return list;
    }

    Executor& executor_;
    zeros of_sums_;
    sum_plan<T> once_, each_;
};

/// d = 64. sum_cases()[which]: operands as they are stored and transposed, and scaled.
template <class T, class Executor>
void check_planned_pair_of_twins(Executor& executor, twin_pair const& p, matrix_symmetry kind, std::size_t which) {
    bool const is_skew = kind == matrix_symmetry::skew;
    sum_case const& s = sum_cases()[which % sum_cases().size()];
    SCOPED_TRACE(p.operands.name + (is_skew ? ", skew, case " : ", symmetric, case ") + std::to_string(which));
    auto const made = [&](coo<double> const& m, bool transpose, double scale) {
        return in_state(by_half<T>(executor, with_symmetry(m, kind), kind, 64), transpose, scale);
    };
    std::vector<both_ways<T>> operands{made(p.operands.a, s.transpose_a, s.scale_a),
                                       made(p.operands.b, s.transpose_b, s.scale_b)};
    planned_both_ways<T, Executor> plans(executor, operands, is_skew ? zeros::of_any_sign : zeros::as_they_are);
    std::vector<T> const factors{static_cast<T>(s.alpha), static_cast<T>(s.beta)};
    hisparse<T> const c = plans.check(operands, factors, "twins once").once;
    expect_twins_once(executor, c, p.which);
    // Other values, while somebody has the sum, and where it lies once nobody has it.
    for (both_ways<T>& m : operands) m = {with_odd_function(executor, m.each), with_odd_function(executor, m.once)};
    for (int again = 0; again < 2; ++again) {
        hisparse<T> const next = plans.check(operands, {T(-3), T(0.5)}, "renewed").once;
        EXPECT_EQ(next.content()->notes, c.content()->notes);
    }
    // A sum is an operand like others, and can be given values.
    if (lanes_executor<Executor>) return;  // lanes take their time
    both_ways<T> const sum = plans.check(operands, factors, "an operand");
    planned_both_ways<T, Executor> more(executor, {operands[0], sum}, plans.of_sums());
    hisparse<T> const of_sum = more.check({operands[0], sum}, factors, "of a sum").once;
    EXPECT_EQ(with_odd_function(executor, of_sum).content()->notes, of_sum.content()->notes);
}

/// Each pair in a state of its own; all states take turns.
template <class Executor>
void check_planned_pairs_of_twins(Executor& executor, bool of_each_kind) {
    std::size_t turn = 0;
    for (twin_pair const& p : some_of(pairs_of_twins())) {
        if (of_each_kind || turn % 2 == 0)
            check_planned_pair_of_twins<double>(executor, p, matrix_symmetry::skew, turn);
        if (of_each_kind || turn % 2 == 1)
            check_planned_pair_of_twins<float>(executor, p, matrix_symmetry::symmetric, turn + 1);
        ++turn;
        if (testing::Test::HasFailure()) return;
    }
}

/// C takes the bytes that its operands take.
template <class Executor>
void check_bytes_of_planned_twins(Executor& executor) {
    std::int64_t const n = takes_all_cases ? 3000 : 1200;
    coo<double> const all = stencil(n);
    coo<double> const shifted =
        symmetric(matrix_where(n, n, [](auto i, auto j) { return j == i + 70 || j == i + 500; }));
    auto const a = by_half<double>(executor, all, matrix_symmetry::symmetric, 64),
               b = by_half<double>(executor, all, matrix_symmetry::symmetric, 64),
               other = by_half<double>(executor, shifted, matrix_symmetry::symmetric, 64);
    planned_both_ways<double, Executor> plans(executor, {a, b}, zeros::as_they_are);
    both_ways<double> const c = plans.check({a, b}, {2, 3}, "two");
    EXPECT_EQ(c.once.bytes(), reachable_bytes(a.once));
    EXPECT_LT(4 * c.once.bytes(), 3 * c.each.bytes());
    planned_both_ways<double, Executor> of_three(executor, {a, other, b}, zeros::as_they_are);
    both_ways<double> const sum = of_three.check({a, other, b}, {2, -1, 3}, "three");
    expect_twins_once(executor, sum.once);
    // One of three stores all: C does where that one has entries.
    both_ways<double> const whole{other.each, other.each};
    both_ways<double> const some = planned_both_ways<double, Executor>(executor, {a, whole, b}, zeros::as_they_are)
                                       .check({a, whole, b}, {2, -1, 3}, "one of three stores all");
    EXPECT_LT(some.once.bytes(), some.each.bytes());
    EXPECT_LT(sum.once.bytes(), some.once.bytes());
}

/// Operands that share differently: C shares nothing there.
template <class Executor>
void check_planned_sums_of_other_senses(Executor& executor) {
    coo<double> const pattern = matrix_where(256, 256, [](auto i, auto j) { return j > i && (i + 2 * j) % 3 == 0; });
    auto const a = twins_of(symmetric(pattern), 64), b = twins_of(skew(pattern), 64);
    for (both_ways<double> const& other : {b, both_ways<double>{a.each, a.each}}) {
        planned_both_ways<double, Executor> plans(executor, {a, other}, zeros::as_they_are);
        both_ways<double> const c = plans.check({a, other}, {2, 3}, "differ");
        EXPECT_EQ(c.once.bytes(), c.each.bytes());
    }
    // With other values that are not symmetric an operand has another structure.
    sum_plan<double> const plan(executor, a.once, a.once);
    std::vector<double> values(static_cast<std::size_t>(a.once.entry_count()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
    buffer<double> const given(executor, values);
    hisparse<double> const changed = with_values(executor, a.once, given);
    EXPECT_EQ(message_of<argument_error>([&] { add(executor, plan, 1.0, a.once, 1.0, changed); }),
              "add: the structure of B is not the one that the plan was made for; give values to the plan's operand by "
              "with_values(), or make a new sum_plan");
}

/// Equal sub-trees, stored once in both operands, or in one.
template <class Executor>
void check_planned_sums_of_identical(Executor& executor) {
    coo<double> tiles{2048, 2048, {}, {}, {}};
    for (int tile = 0; tile < 32; ++tile)
        for (int i = 0; i < 64; ++i)
            for (int j = 0; j < 64; j += 1 + (i + j) % 3) {
                tiles.rows.push_back(64 * tile + i);
                tiles.columns.push_back(64 * (tile * 5 % 32) + j);
                tiles.values.push_back(i + 100 * j);
            }
    tiles = in_order(tiles);
    auto const a = stored_both_ways<double>(
        executor, tiles, {.node_dimension = 64, .share_identical = true, .values = stored_values::each});
    ASSERT_LT(10 * reachable_bytes(a.once), reachable_bytes(a.each));
    both_ways<double> const each{a.each, a.each};
    planned_both_ways<double, Executor> plans(executor, {a, a}, zeros::as_they_are);
    EXPECT_EQ(plans.check({a, a}, {2, 3}, "both").once.bytes(), reachable_bytes(a.once));
    planned_both_ways<double, Executor> of_one(executor, {a, each}, zeros::as_they_are);
    EXPECT_EQ(of_one.check({a, each}, {2, 3}, "one").once.bytes(), reachable_bytes(a.each));
}

/// Products by a plan of C, from sum to sum.
template <class Executor>
void check_products_of_planned_twins(Executor& executor) {
    for (matrix_symmetry const kind : {matrix_symmetry::symmetric, matrix_symmetry::skew}) {
        auto const of = [&](coo<double> const& pattern) {
            return by_half<double>(executor, with_symmetry(pattern, kind), kind, 64).once;
        };
        bool const of_lists = kind == matrix_symmetry::symmetric;  // with a sanitizer: the others if skew
        if (takes_all_cases || of_lists)
            check_products_of_planned_sums<double>(executor, of(stencil(2000)), of(scattered(2000, 2000, 2000, 3)));
        if (takes_all_cases || !of_lists)
            check_products_of_planned_sums<double>(executor, of(scattered(9000, 9000, 3000, 3)), of(stencil(9000)));
    }
}

}  // namespace copse::tests
