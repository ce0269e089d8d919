// A^T f(A x) part by part, by the lanes' tasks: what two products give, of whole numbers, whose sums are exact in any
// order.
#include <gtest/gtest.h>

#include <algebra/plans/planned_matrices.hpp>
#include <cmath>
#include <copse/algebra/plans/normal_tasks.hpp>
#include <copse/algebra/replay_emulated.hpp>
#include <copse/algebra/spmv_both.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

namespace copse::tests {
namespace {

constexpr detail::replay_choices by_parts{.normal_by_parts = true};

template <class V>
std::vector<V> whole_numbers(std::int64_t n, int seed) {
    std::vector<V> x(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<V>((i * 7919 + static_cast<std::size_t>(seed)) % 5) - 2;
    return x;
}

template <class T, class V>
void check_by_parts(planned_matrix const& c, int turn, bool transpose) {
    SCOPED_TRACE(c.name + (transpose ? ", transposed" : ""));
    emulated lanes({.seed = static_cast<std::uint64_t>(turn)});
    spmv_plan<T> const plan = c.plan<T>(lanes, transpose, T(turn % 2 == 0 ? 1 : -2));
    auto const m = static_cast<std::size_t>(plan.row_count()), n = static_cast<std::size_t>(plan.column_count());
    auto const x = whole_numbers<V>(plan.column_count(), 1), d = whole_numbers<V>(plan.row_count(), 2);
    V const beta = V(turn % 3);
    auto z = beta == V(0) ? std::vector<V>(n, std::numeric_limits<V>::quiet_NaN())
                          : whole_numbers<V>(plan.column_count(), 3);
    z.resize(n + 300, V(-0.0));  // what is behind z stays, also -0, which 0 may not be added to
    auto const first_of = [&](std::vector<V>& v) {
        return vector_view<V>(v.data(), plan.column_count(), memory_space::host);
    };
    std::vector<V> expected = z, t(m), stored(m);
    spmv(lanes, V(1), plan, x, V(0), t);
    V expected_sum = 0;
    for (std::size_t i = 0; i < m; ++i) {
        expected_sum += t[i];
        t[i] *= d[i];
    }
    spmv(lanes, V(1), transposed(plan), t, beta, first_of(expected));
    std::vector<int> calls(m);
    if (is_watched(plan.row_count(), plan.column_count())) {
        lanes.check_races("z", z);
        lanes.check_races("what f stores", stored);
    }
    V const sum = detail::multiply_normal<T, V>(
        lanes, plan, vector_view<V const>(x),
        [&](std::int64_t i, V& t_i) {
            auto const at = static_cast<std::size_t>(i);
            ++calls[at];
            V const before = t_i;
            stored[at] = t_i *= d[at];
            return before;
        },
        beta, first_of(z), by_parts);
    EXPECT_EQ(z, expected);
    EXPECT_EQ(bits_of(std::vector<V>(z.begin() + plan.column_count(), z.end())), bits_of(std::vector<V>(300, V(-0.0))));
    EXPECT_EQ(stored, t);
    EXPECT_EQ(sum, expected_sum);
    EXPECT_EQ(calls, std::vector<int>(m, 1));
}

TEST(normal_tasks, give_what_two_products_give) {
    int turn = 0;
    for (planned_matrix const& c : planned_matrices()) {
        if (takes_all_cases || turn % 2 == 0) {
            check_by_parts<double, double>(c, turn, false);
            check_by_parts<double, double>(c, turn + 1, true);
        }
        if (takes_all_cases || turn % 2 == 1) {
            check_by_parts<float, float>(c, turn + 2, false);
            check_by_parts<float, double>(c, turn + 3, true);
        }
        turn += 5;  // 5 and 2, 5 and 3: each scale and each beta for each type
    }
}

/// Sums in one order, whoever comes first; an f of nothing.
TEST(normal_tasks, sum_what_f_returns_in_one_order) {
    planned_matrix const c{"shared rows", mixed_matrix()};
    double first = 0;
    for (int seed = 0; seed < 3; ++seed) {
        emulated lanes({.seed = static_cast<std::uint64_t>(seed)});
        spmv_plan<double> const plan = c.plan<double>(lanes);
        ASSERT_GT(detail::direction_of(plan).split_count, 0);
        std::vector<double> const x(2300, 1.0);
        std::vector<double> z(2300), expected(2300), t(900);
        auto const multiply = [&](auto const& f) {
            return detail::multiply_normal<double, double>(lanes, plan, vector_view<double const>(x), f, 0.0,
                                                           vector_view<double>(z), by_parts);
        };
        double const sum =
            multiply([](std::int64_t i, double t_i) { return t_i * t_i / static_cast<double>(3 * i + 1); });
        if (seed == 0) first = sum;
        EXPECT_EQ(sum, first);
        double const apart = spmv(lanes, 1.0, plan, x, 0.0, t, [](std::int64_t i, double t_i) {
            return t_i * t_i / static_cast<double>(3 * i + 1);
        });
        EXPECT_EQ(sum, apart);
        auto const nothing = multiply([](std::int64_t, double) {});
        EXPECT_TRUE((std::is_same_v<decltype(nothing), std::monostate const>));
    }
}

/// What is not finite goes along stored entries; a factor that is not finite meets whole sums.
TEST(normal_tasks, keep_what_is_not_finite_where_it_is) {
    double const infinity = std::numeric_limits<double>::infinity();
    auto const same = [](std::vector<double> const& a, std::vector<double> const& b) {
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))) return false;
        return true;
    };
    emulated lanes;
    for (double const scale : {1.0, infinity})
        for (std::size_t const bad : {0u, 80u, 149u}) {
            spmv_plan<double> const plan =
                planned_matrix{"", with_whole_numbers(mixed_block())}.plan<double>(lanes, false, scale);
            auto x = whole_numbers<double>(150, 1);
            x[bad] = infinity;
            std::vector<double> z(150), t(200), expected(150);
            spmv(lanes, 1.0, plan, x, 0.0, t);
            spmv(lanes, 1.0, transposed(plan), t, 0.0, expected);
            detail::multiply_normal<double, double>(
                lanes, plan, vector_view<double const>(x), [](std::int64_t, double) {}, 0.0, vector_view<double>(z),
                by_parts);
            EXPECT_TRUE(same(z, expected)) << bad << ", " << scale;
        }
}

}  // namespace
}  // namespace copse::tests
