// Streaks of one value across the leaves of a part.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/plans/plan_threads.hpp>
#include <copse/runtime/cpu.hpp>

namespace copse::tests {
namespace {

std::size_t streaks_in(spmv_plan<double> const& plan) {
    return detail::direction_of(plan).streaks.bytes() / sizeof(detail::plan_streak<double>);
}

// Three diagonals through leaves of 64: a streak each, or two where the value changes in row 128.
TEST(part_streaks, go_on_in_the_next_leaf_while_the_value_stays) {
    cpu executor(1);
    coo<double> entries = matrix_where(500, 500, [](auto i, auto j) { return j == i || j == i + 20 || i == j + 30; });
    entries.values.assign(entries.values.size(), 3);
    for (std::size_t const wanted : {std::size_t{3}, std::size_t{6}}) {
        hisparse<double> const a(executor, entries, {.node_dimension = 64});
        EXPECT_EQ(streaks_in(spmv_plan<double>(executor, a)), wanted);
        EXPECT_EQ(streaks_in(spmv_plan<double>(executor, transposed(a))), wanted);
        for (std::size_t k = 0; k < entries.values.size(); ++k)
            if (entries.rows[k] >= 128) entries.values[k] = 5;
    }
}

// One product of such entries is over before a second thread wakes up; eight columns are not.
TEST(part_streaks, are_little_work_for_threads) {
    cpu executor(2);
    auto const runs_alone = [&](coo<double> const& entries, int columns) {
        spmv_plan<double> const plan(executor, hisparse<double>(executor, entries, {.node_dimension = 64}));
        return detail::runs_alone(executor, detail::direction_of(plan), columns);
    };
    coo<double> entries = matrix_where(1000, 1000, [](auto i, auto j) { return j >= i && (j - i) % 20 == 0; });
    entries.values.assign(entries.values.size(), 3);
    EXPECT_TRUE(runs_alone(entries, 1));
    EXPECT_FALSE(runs_alone(entries, 8));
    for (std::size_t k = 0; k < entries.values.size(); ++k) entries.values[k] = static_cast<double>(k);
    EXPECT_FALSE(runs_alone(entries, 1));
}

}  // namespace
}  // namespace copse::tests
