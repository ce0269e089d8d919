// Products on the CPU's executors; spmv_gpu_test.cpp has the gpu's.
#include <algebra/products/spmv_suite.hpp>
#include <cmath>
#include <controllers.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <limits>
#include <runtime/message_of.hpp>
#include <string>

namespace copse::tests {
namespace {

class spmv_on_cpu : public testing::TestWithParam<int> {};

TEST_P(spmv_on_cpu, agrees_with_the_reference) {
    cpu executor(GetParam());
    check_battery(executor, whole_battery());
}

TEST_P(spmv_on_cpu, factors_that_are_not_finite_meet_whole_sums) {
    cpu executor(GetParam());
    check_all_factors(executor);
}

INSTANTIATE_TEST_SUITE_P(threads, spmv_on_cpu, testing::Values(1, 3));

class spmv_explored : public testing::TestWithParam<controller> {};

TEST_P(spmv_explored, agrees_with_the_reference) {
    emulated executor({.mode = emulation::explore, .seed = 1, .controller = GetParam()});
    for (battery_case const& c : small_battery()) {
        check_product<double>(executor, c, {false, 2, 0.5, 3, 64});
        check_product<float>(executor, c, {true, -1, 0, 1, 64});
        for (bool transposed : {false, true})
            check_product<double>(executor, c, {transposed, 1, 0}, special_values::nan_and_infinity_in_x);
    }
}

TEST_P(spmv_explored, agrees_for_a_hundred_seeds) {
    // Two levels of nodes, leaves in three bins, a row that many leaves add to.
    battery_case const c{"crossing", matrix_where(130, 200, [](auto i, auto j) {
                             return i == 7 || (i > 64 && j < 9 && i < 75) || i + 2 == j;
                         })};
    std::uint64_t const seeds = COPSE_ADDRESS_SANITIZER ? 20 : 100;  // all of them use the same addresses
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        emulated executor({.mode = emulation::explore, .seed = seed, .controller = GetParam()});
        check_product<double>(executor, c, {seed % 2 == 1, 1, 0, 1, 64});
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST_P(spmv_explored, agrees_where_wide_leaves_are_dense_and_where_they_are_thin) {
    int turn = 0;
    // Parts of 1024 entries have about 90, 850 and 2000 rows.
    for (coo<double> const& a :
         {scattered(1000, 4096, 12000, 7), scattered(6000, 5000, 9000, 3), scattered(4000, 4096, 2000, 5)}) {
        emulated executor({.mode = emulation::explore, .seed = 2, .controller = GetParam()});
        ASSERT_GT(hisparse<double>(executor, a, {.node_dimension = 64}).census().wide_entries(), 1024);
        // Each matrix both ways, in either type by turns.
        check_product<double>(executor, {"wide", a}, {turn % 2 == 0, 2, 0.5, 3, 64});
        check_product<float>(executor, {"wide", a}, {turn % 2 == 1, -1, 0, 1, 64});
        ++turn;
    }
}

TEST_P(spmv_explored, factors_that_are_not_finite_meet_whole_sums) {
    emulated executor({.mode = emulation::explore, .seed = 3, .controller = GetParam()});
    check_factors_in_turn(executor);
}

class spmv_stressed : public testing::TestWithParam<controller> {};

TEST_P(spmv_stressed, agrees_with_the_reference) {
    emulated executor({.mode = emulation::stress, .controller = GetParam()});
    battery_case const c{"crossing",
                         matrix_where(130, 200, [](auto i, auto j) { return i == 7 || (i > 64 && j < 9) || i == j; })};
    for (int repeat = 0; repeat < 3; ++repeat)
        for (bool transposed : {false, true}) check_product<double>(executor, c, {transposed, 2, 0.5, 1, 64});
}

INSTANTIATE_TEST_SUITE_P(controllers, spmv_explored, every_controller(), controller_name);
INSTANTIATE_TEST_SUITE_P(controllers, spmv_stressed, every_controller(), controller_name);

TEST(spmv, whole_numbers_make_sums_of_every_sign) {
    // Else the battery would hold nobody to anything.
    for (battery_case const& c : whole_number_battery()) {
        if (c.matrix.values.size() < 100) continue;
        constexpr auto inf = std::numeric_limits<double>::infinity();
        csr<double> const a = to_csr(c.matrix);
        expected_product<double> const expected(a, {false, inf, 0}, special_values::whole_numbers);
        int above = 0, below = 0, cancelled = 0, empty = 0;
        for (std::int64_t i = 0; i < a.row_count; ++i) {
            double const y = expected.result()[static_cast<std::size_t>(i)];
            above += y == inf;
            below += y == -inf;
            bool const is_empty = a.row_offsets[i] == a.row_offsets[i + 1];
            (is_empty ? empty : cancelled) += std::isnan(y);
        }
        EXPECT_GT(above, 1) << c.name;
        EXPECT_GT(below, 1) << c.name;
        EXPECT_GT(cancelled, 0) << c.name;
        EXPECT_GT(empty, 0) << c.name;
    }
}

TEST(spmv, takes_the_state_of_the_matrix) {
    // A = [1 2; 0 3; 4 0],  (2 A)^T (1, 10, 100) = (2 + 800, 4 + 60)
    coo<double> const a{3, 2, {0, 0, 1, 2}, {0, 1, 1, 0}, {1, 2, 3, 4}};
    cpu executor(1);
    hisparse<double> const tree(executor, a);
    std::vector<double> const x{1, 10, 100};
    std::vector<double> y(2, -1);
    spmv(executor, 1, scaled(transposed(tree), 2.0), x, 0, y);
    EXPECT_EQ(y, (std::vector<double>{802, 64}));
    // Twice transposed is not transposed.
    std::vector<double> z(3);
    spmv(executor, 1, transposed(transposed(tree)), y, 0, z);
    EXPECT_EQ(z, (std::vector<double>{930, 192, 3208}));
}

TEST(spmv, reports_what_the_queues_did) {
    coo<double> const a = matrix_where(300, 300, [](auto i, auto j) { return i == j; });
    cpu executor(2);
    hisparse<double> const tree(executor, a);
    std::vector<double> const x(300, 1);
    std::vector<double> y(300);
    run_report const report = spmv(executor, 1, tree, x, 0, y);
    std::int64_t items = 0;
    for (queue_report const& queue : report.queues)
        if (queue.name.find("leaf") != std::string::npos) items += queue.items;
    EXPECT_EQ(items, 3);  // the diagonal blocks: 128, 128 and 44 rows
}

TEST(spmv, refuses_sizes_that_do_not_fit) {
    cpu executor(1);
    hisparse<double> const tree(executor, empty_matrix(3, 2));
    std::vector<double> two(2), three(3), four(4);
    EXPECT_EQ(message_of<shape_error>([&] { spmv(executor, 1, tree, four, 0, three); }),
              "spmv: op(A) is 3 x 2, so x must have 2 elements; it has 4");
    EXPECT_EQ(message_of<shape_error>([&] { spmv(executor, 1, transposed(tree), three, 0, four); }),
              "spmv: op(A) is 2 x 3, so y must have 2 elements; it has 4");
    EXPECT_EQ(message_of<shape_error>([&] { spmv(executor, 1, tree, three, 0, two); }),
              "spmv: op(A) is 3 x 2, so x must have 2 elements; it has 3; both operands fit the transpose of op(A): "
              "multiply with that");
}

TEST(spmv, refuses_overlapping_vectors) {
    cpu executor(1);
    hisparse<double> const tree(executor, matrix_where(3, 3, [](auto i, auto j) { return i == j; }));
    std::vector<double> x(5, 1);
    std::span<double> const all(x);
    EXPECT_EQ(message_of<argument_error>([&] {
                  spmv<double>(executor, 1, tree, vector_view<double>(all.subspan(0, 3)), 0, all.subspan(2, 3));
              }),
              "spmv: x and y overlap; give y memory of its own");
    EXPECT_EQ(x, std::vector<double>(5, 1));
}

TEST(spmv, refuses_memory_of_another_executor) {
    cpu executor(1);
    hisparse<double> const tree(executor, empty_matrix(2, 2));
    std::vector<double> y(2);
    vector_view<double const> const elsewhere(y.data() + 2, 2, memory_space::device);
    EXPECT_EQ(message_of<argument_error>([&] { spmv<double>(executor, 1, tree, elsewhere, 0, y); }),
              "spmv: x is in device memory, but the executor works in host memory; make it with the same executor "
              "(copse::buffer, copse::hisparse)");
}

}  // namespace
}  // namespace copse::tests
