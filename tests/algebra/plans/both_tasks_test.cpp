// A x and A^T w in one launch of the lanes' tasks: the bits of two products.
#include <gtest/gtest.h>

#include <algebra/plans/planned_matrices.hpp>
#include <array>
#include <copse/algebra/plans/both_products.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/replay_emulated.hpp>
#include <copse/algebra/spmv_both.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

namespace copse::tests {
namespace {

TEST(lists_in_turn, take_each_item_once_in_order_and_in_proportion) {
    auto const check = [](std::int64_t first, std::int64_t second) {
        detail::lists_in_turn const items(first, second);
        ASSERT_EQ(items.count(), first + second);
        std::int64_t seen[2]{};
        for (std::int64_t i = 0; i < items.count(); ++i) {
            auto const at = items[i];
            ASSERT_EQ(at.index, seen[at.in_second]++) << i << " of " << first << " and " << second;
            ASSERT_LE(std::abs(seen[0] * (first + second) - (i + 1) * first), first + second);
        }
        EXPECT_EQ(seen[0], first);
        EXPECT_EQ(seen[1], second);
    };
    for (std::int64_t first = 0; first < 12; ++first)
        for (std::int64_t second = 0; second < 12; ++second) check(first, second);
    check(1, 100'003);
    check(100'003, 7);
    check(65'537, 65'536);
    std::int64_t const many = (std::int64_t{1} << 31) - 1;  // the last ones
    detail::lists_in_turn const large(many, 3);
    EXPECT_EQ(large[many + 2].index, large[many + 2].in_second ? 2 : many - 1);
}

/// Sums of which are not exact.
template <class V>
std::vector<V> fractions(std::int64_t n, int seed) {
    std::vector<V> x(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = V(1) / static_cast<V>((i * 7919 + static_cast<std::size_t>(seed)) % 101 + 3);
    return x;
}
/// As a result was before: NaN where it is not read; -0 behind it, which 0 may not be added to.
template <class V>
std::vector<V> result_before(std::int64_t n, V factor) {
    std::vector<V> y = factor == V(0) ? std::vector<V>(static_cast<std::size_t>(n), std::numeric_limits<V>::quiet_NaN())
                                      : fractions<V>(n, 3);
    y.resize(y.size() + 300, V(-0.0));
    return y;
}

constexpr detail::replay_choices at_once{.both_at_once = true};

template <class T, class V>
void check_at_once(planned_matrix const& c, int turn, bool transpose) {
    SCOPED_TRACE(c.name + (transpose ? ", transposed" : ""));
    emulated lanes({.seed = static_cast<std::uint64_t>(turn)});
    spmv_plan<T> const plan = c.plan<T>(lanes, transpose, T(turn % 2 == 0 ? 1 : -0.5));
    std::int64_t const m = plan.row_count(), n = plan.column_count();
    auto const x = fractions<V>(n, 1), w = fractions<V>(m, 2);
    std::array<V, 4> const factors[]{{1, 0, 1, 0}, {2, 1, -3, 1}, {0, 1, 1, -2}, {1, -1, 0, 2}, {-1, 2, 4, 0}};
    auto const& [alpha, beta, gamma, delta] = factors[turn % 5];
    auto y = result_before(m, beta), z = result_before(n, delta), expected_y = y, expected_z = z;
    auto const of = [](std::vector<V>& v, std::int64_t size) {
        return vector_view<V>(v.data(), size, memory_space::host);
    };
    spmv(lanes, alpha, plan, x, beta, of(expected_y, m));
    spmv(lanes, gamma, transposed(plan), w, delta, of(expected_z, n));
    if (is_watched(m, n)) {
        lanes.check_races("y", y);
        lanes.check_races("z", z);
    }
    detail::multiply_both_with<T, V>(lanes, plan, {alpha, x, beta, of(y, m), gamma, w, delta, of(z, n)},
                                     detail::no_epilogue(), detail::no_epilogue(), at_once);
    EXPECT_EQ(bits_of(y), bits_of(expected_y));
    EXPECT_EQ(bits_of(z), bits_of(expected_z));
}

TEST(both_tasks, give_the_bits_of_two_products) {
    int turn = 0;
    for (planned_matrix const& c : planned_matrices()) {
        if (takes_all_cases || turn % 2 == 0) {
            check_at_once<double, double>(c, turn, false);
            check_at_once<double, double>(c, turn + 1, true);
        }
        if (takes_all_cases || turn % 2 == 1) {
            check_at_once<float, float>(c, turn + 2, false);
            check_at_once<float, double>(c, turn + 3, true);
        }
        turn += 3;  // 3 and 5: each factor for each type
    }
}

struct doubled_sum {
    double operator()(std::int64_t i, double& y_i) const {
        double const before = y_i;
        y_i *= 2;
        return before / static_cast<double>(i + 1);
    }
};
struct plus_one {
    void operator()(std::int64_t, double& z_j) const { z_j += 1; }
};

void check_epilogues(planned_matrix const& c, int turn, bool transpose) {
    SCOPED_TRACE(c.name + (transpose ? ", transposed" : ""));
    emulated lanes({.seed = static_cast<std::uint64_t>(turn)});
    spmv_plan<double> const plan = c.plan<double>(lanes, transpose);
    auto const x = fractions<double>(plan.column_count(), 1), w = fractions<double>(plan.row_count(), 2);
    std::vector<double> y(w.size()), z(x.size()), expected_y = y, expected_z = z;
    double const of_y = spmv(lanes, 1.0, plan, x, 0.0, expected_y, doubled_sum());
    double const of_z = spmv(lanes, 1.0, transposed(plan), w, 0.0, expected_z, doubled_sum());
    auto const multiply = [&](auto const& epilogue_y, auto const& epilogue_z) {
        return detail::multiply_both_with<double, double>(
            lanes, plan, {1, x, 0, vector_view<double>(y), 1, w, 0, vector_view<double>(z)}, epilogue_y, epilogue_z,
            at_once);
    };
    EXPECT_EQ(multiply(doubled_sum(), doubled_sum()), std::pair(of_y, of_z));
    EXPECT_EQ(bits_of(y), bits_of(expected_y));
    EXPECT_EQ(bits_of(z), bits_of(expected_z));
    spmv(lanes, 1.0, plan, x, 0.0, expected_y, plus_one());
    EXPECT_EQ(multiply(plus_one(), doubled_sum()), std::pair(std::monostate(), of_z));
    EXPECT_EQ(bits_of(y), bits_of(expected_y));
    EXPECT_EQ(bits_of(z), bits_of(expected_z));
}

/// Epilogues of one type and of two: each element once, and sums in the order of two products.
TEST(both_tasks, call_epilogues) {
    int turn = 0;
    for (planned_matrix const& c : planned_matrices()) {
        if (turn++ % 3 != 0) continue;
        check_epilogues(c, turn, false);
        check_epilogues(c, turn, true);
    }
}

/// So that what is tested with them is tested.
TEST(planned_matrices, have_parts_of_every_kind) {
    if (!takes_all_cases) GTEST_SKIP() << "some of them";
    bool shares[2]{}, repeats = false, is_negative = false, has_streams = false;
    std::array<std::int64_t, detail::small_item_sizes> small{};
    std::int64_t larger = 0;
    emulated lanes;
    for (planned_matrix const& c : planned_matrices())
        for (bool const transpose : {false, true}) {
            spmv_plan<double> const plan = c.plan<double>(lanes, transpose);
            detail::plan_direction const& lists = detail::direction_of(plan);
            shares[transpose] = shares[transpose] || lists.split_count > 0;
            repeats = repeats || lists.leaves_repeat;
            is_negative = is_negative || lists.items_by_sign.size() > 0;
            has_streams = has_streams || lists.streams.size() > 0;
            larger += lists.item_count;
            for (detail::plan_part const& part : lists.parts.to_host())
                for (std::size_t size = 0; size < small.size(); ++size) {
                    small[size] += part.small[size];
                    larger -= part.small[size];
                }
        }
    EXPECT_TRUE(shares[0] && shares[1] && repeats && is_negative && has_streams);
    for (std::int64_t const count : small) EXPECT_GT(count, 0);
    EXPECT_GT(larger, 0);
}

/// Nothing has started when a direction refuses.
TEST(both_tasks, refuse_parts_for_which_lanes_have_no_room) {
    planned_matrix c{"large parts", matrix_where(200, 1200, [](auto i, auto j) { return i == j; })};
    c.shape.most_rows = 1024;
    emulated lanes;
    spmv_plan<double> const plan = c.plan<double>(lanes);
    std::vector<double> const x(1200, 1.0), w(200, 1.0);
    std::vector<double> y(200, 5.0), z(1200, 5.0);
    auto const multiply = [&] {
        detail::multiply_both_with<double, double>(lanes, plan,
                                                   {1, x, 0, vector_view<double>(y), 1, w, 0, vector_view<double>(z)},
                                                   detail::no_epilogue(), detail::no_epilogue(), at_once);
    };
    EXPECT_THROW(multiply(), argument_error);
    EXPECT_EQ(y, std::vector<double>(200, 5.0));
}

}  // namespace
}  // namespace copse::tests
