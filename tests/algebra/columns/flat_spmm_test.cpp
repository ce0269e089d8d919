// Products of CSR and SELL-P with several columns on the CPU's executors.
#include <algebra/columns/flat_spmm_suite.hpp>
#include <algebra/instruction_sets.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <runtime/message_of.hpp>
#include <some_cases.hpp>

namespace copse::tests {
namespace {

class flat_spmm_on_cpu : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        if (COPSE_THREAD_SANITIZER && GetParam() == 1) GTEST_SKIP() << "one thread has nobody to race with";
    }
};

TEST_P(flat_spmm_on_cpu, agrees_with_the_reference) {
    cpu executor(GetParam());
    check_all_flat(executor, whole_battery());
    check_flat_factors(executor, whole_number_battery());
}
INSTANTIATE_TEST_SUITE_P(threads, flat_spmm_on_cpu, testing::Values(1, 3));

TEST(flat_spmm, agrees_in_every_shape_on_every_instruction_set) {
    cpu executor(2);
    battery_case const c{"rows of all lengths",
                         matrix_where(500, 300, [](auto i, auto j) { return (i * j) % (i % 40 + 2) == 1; })};
    int turn = 0;
    for (columns_shape const& s : some_of(columns_shapes())) {
        product_case const p{turn++ % 2 == 1, -2, turn % 3 == 0 ? 0.5 : 0.0, 3};
        on_every_instruction_set([&] {
            check_flat<csr_matrix<double>>(executor, c, p, s);
            check_flat<sellp<float>>(executor, c, p, s, sorted);
        });
    }
}

TEST(flat_spmm, agrees_in_lanes) {
    if (COPSE_THREAD_SANITIZER) GTEST_SKIP() << "one thread has nobody to race with";
    emulated executor({.mode = emulation::explore, .seed = 1});
    check_all_flat(executor, few_rows_battery());
    check_flat_factors(executor, small_whole_number_battery());
}

TEST(flat_spmm, refuses_what_does_not_fit) {
    cpu executor(1);
    csr_matrix<double> const a(executor, to_csr(matrix_where(3, 5, [](auto i, auto j) { return i == j; })));
    std::vector<double> x(10, 1.0), y(6, 2.0);
    auto const message = [&](auto const& by, auto of_x, auto of_y) {
        return message_of<error>([&] { spmm(executor, 1.0, by, of_x, 0.0, of_y); });
    };
    EXPECT_EQ(message(a, row_major(x, 3, 2), row_major(y, 3, 2)),
              "spmm: op(A) is 3 x 5, so X must have 5 rows; it has 3");
    EXPECT_EQ(message(flat_plan(executor, a), row_major(x, 5, 2), row_major(y, 2, 2)),
              "spmm: op(A) is 3 x 5, so Y must have 3 rows; it has 2");
    EXPECT_EQ(message(a, row_major(x, 5, 2), row_major(std::span(x).first(6), 3, 2)),
              "spmm: X and Y overlap; give Y memory of its own");
    EXPECT_EQ(y, std::vector<double>(6, 2.0));
    spmm(executor, 1.0, a, row_major(x, 5, 0), 0.0, row_major(y, 3, 0));
    EXPECT_EQ(y, std::vector<double>(6, 2.0));
}

}  // namespace
}  // namespace copse::tests
