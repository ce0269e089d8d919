// Sums by plans on the CPU's executors; sum_plan_gpu_test.cpp has the gpu's.
#include <algebra/sums/sum_plan_suite.hpp>
#include <algorithm>
#include <copse/runtime/config.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <runtime/message_of.hpp>
#include <thread>

namespace copse::tests {
namespace {

TEST(sum_plan, unites_the_entries) {
    cpu executor(3);
    check_planned_sums(executor, whole_battery());
}

TEST(sum_plan, unites_in_every_state) {
    cpu executor(2);
    battery_case const c{"three levels", scattered(5000, 300000, 3000, 6)};
    for (sum_case const& s : sum_cases())
        for (partner kind : {partner::same_pattern, partner::moved, partner::elsewhere})
            check_planned_sum<double>(executor, c, kind, s);
}

TEST(sum_plan, unites_lane_by_lane) {
    emulated executor({.mode = emulation::explore, .seed = 5});
    std::vector<battery_case> cases = few_rows_battery();
    cases.resize(std::min<std::size_t>(cases.size(), 12));
    check_planned_sums(executor, cases);
}

template <class Executor>
void check_all(Executor& executor) {
    check_planned_sums_of_once<double>(executor);
    check_special_values_of_planned_sums<double>(executor);
    check_special_values_of_planned_sums<float>(executor);
    check_places_of_planned_sums(executor);
    check_products_of_planned_sums<double>(executor);
    check_planned_sums_of_several<double>(executor);
}

TEST(sum_plan, takes_operands_however_they_are_stored) {
    cpu executor(2);
    check_all(executor);
    check_planned_sums_of_once<float>(executor);
    check_products_of_planned_sums<float>(executor);
}

TEST(sum_plan, takes_operands_however_they_are_stored_lane_by_lane) {
    if (COPSE_THREAD_SANITIZER) GTEST_SKIP() << "one thread has nobody to race with";
    emulated executor;
    check_all(executor);
}

TEST(sum_plan, reads_all_arenas_of_an_edited_matrix) {
    cpu executor(2);
    coo<double> const entries = scattered(3000, 2000, 30000, 4);
    hisparse<double> const b(executor, entries);
    hisparse<double> const a = edit(b, edits<double>().set(5, 5, 1).set(2999, 1999, 2));
    ASSERT_EQ(a.content()->arenas.size(), 2u);
    sum_plan<double> const plan(executor, a, b);
    expect_sum<double>(add(executor, plan, 2.0, a, -1.0, b), 2, to_csr(a), -1, to_csr(b), "edited");
}

TEST(sum_plan, adds_from_several_threads) {
    csr<double> const rows = to_csr(scattered(2000, 2000, 20000, 4));
    cpu executor(1);
    hisparse<double> const a(executor, rows);
    sum_plan<double> const plan(executor, a, transposed(a));
    auto const add_often = [&](double factor) {
        cpu own(1);
        for (int i = 0; i < 20; ++i)
            expect_sum<double>(add(own, plan, factor + i, a, factor, transposed(a)), factor + i, rows, factor,
                               transpose(rows), "by threads");
    };
    std::thread other([&] { add_often(1); });
    add_often(1000);
    other.join();
}

TEST(sum_plan, has_sums_without_entries) {
    cpu executor(1);
    for (auto const& [m, n] : {std::pair{0, 0}, {0, 5}, {7, 3}}) {
        hisparse<double> const a(executor, empty_matrix(m, n));
        sum_plan<double> const plan(executor, a, a);
        hisparse<double> const c = add(executor, plan, 1.0, a, 2.0, a), again = add(executor, plan, 1.0, a, 2.0, a);
        EXPECT_EQ(again.row_count(), m);
        EXPECT_EQ(c.column_count(), n);
        EXPECT_EQ(plan.row_count(), m);
        EXPECT_EQ(plan.column_count(), n);
        EXPECT_EQ(plan.entry_count(), 0);
    }
}

TEST(sum_plan, refuses_what_does_not_fit) {
    cpu executor(1);
    auto const square = [&](std::int64_t n, hisparse_options options = {}) {
        return hisparse<double>(executor, matrix_where(n, n, [](auto i, auto j) { return i == j || j == 0; }), options);
    };
    hisparse<double> const a = square(3), b = square(3);
    EXPECT_EQ(message_of<shape_error>([&] { sum_plan<double>(executor, a, square(4)); }),
              "sum_plan: A is 3 x 3, B is 4 x 4; they must have the same shape");
    EXPECT_EQ(message_of<argument_error>([&] { sum_plan<double>(executor, a, square(3, {.node_dimension = 64})); }),
              "sum_plan: A has nodes of 128 rows, B of 64; convert both with the same node_dimension");
    EXPECT_EQ(message_of<argument_error>([&] { sum_plan<double>(executor, std::span<hisparse<double> const>()); }),
              "sum_plan: there are no operands; give one or more");
    sum_plan<double> plan(executor, a, transposed(b));
    EXPECT_EQ(message_of<argument_error>([&] { add(executor, plan, 1.0, b, 1.0, transposed(b)); }),
              "add: the structure of A is not the one that the plan was made for; give values to the plan's operand by "
              "with_values(), or make a new sum_plan");
    EXPECT_EQ(message_of<argument_error>([&] { add(executor, plan, 1.0, a, 1.0, b); }),
              "add: the plan was made for B transposed; make a new sum_plan for the other direction");
    EXPECT_EQ(message_of<argument_error>([&] { add(executor, plan, 1.0, transposed(a), 1.0, transposed(b)); }),
              "add: the plan was made for A as it is stored; make a new sum_plan for the other direction");
    std::array const one{1.0};
    std::array const both{a, transposed(b)};
    EXPECT_EQ(message_of<argument_error>(
                  [&] { add(executor, plan, std::span<double const>(one), std::span<hisparse<double> const>(both)); }),
              "add: the plan was made for 2 operands, but there are 2, and 1 factors");
    sum_plan<double> const moved = std::move(plan);
    EXPECT_NO_THROW(add(executor, moved, 1.0, a, 1.0, transposed(b)));
    EXPECT_THROW(plan.row_count(), argument_error);
    EXPECT_THROW(add(executor, plan, 1.0, a, 1.0, transposed(b)), argument_error);
}

}  // namespace
}  // namespace copse::tests
