// Products with several columns on the CPU's executors.
#include <algebra/columns/spmm_suite.hpp>
#include <algebra/instruction_sets.hpp>
#include <algebra/values/share_transposed_suite.hpp>
#include <controllers.hpp>
#include <copse/algebra/columns/columns_cpu.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <runtime/message_of.hpp>
#include <some_cases.hpp>

namespace copse::tests {
namespace {

constexpr auto by_rows = dense_layout::row_major, by_columns = dense_layout::column_major;

TEST(spmm_reference, is_what_a_hand_computes) {
    csr<double> const a{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};  // 1 . 2 / . 3 .
    std::vector<double> const x{1, 4, 2, 5, 3, 6};               // by rows: 1 4 / 2 5 / 3 6
    std::vector<double> y{100, 300, -1, 200, 400};               // by columns, one element between
    reference::spmm<double>(2, a, false, row_major(x, 3, 2), 1, column_major(y, 2, 2, 3));
    EXPECT_EQ(y, (std::vector<double>{114, 312, -1, 232, 430}));
    std::vector<double> z(6);
    reference::spmm<double>(1, a, true, row_major(x, 2, 2), 0, row_major(z, 3, 2));  // 1 4 / 2 5
    EXPECT_EQ(z, (std::vector<double>{1, 4, 6, 15, 2, 8}));
}

class spmm_on_cpu : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        if (COPSE_THREAD_SANITIZER && GetParam() == 1) GTEST_SKIP() << "one thread has nobody to race with";
    }
};

TEST_P(spmm_on_cpu, agrees_with_the_reference) {
    cpu executor(GetParam());
    check_columns_battery<columns_one_shot>(executor, whole_battery(), 1);
}
TEST_P(spmm_on_cpu, agrees_by_plan) {
    cpu executor(GetParam());
    check_columns_battery<columns_by_plan>(executor, whole_battery(), 1);
}
TEST_P(spmm_on_cpu, factors_that_are_not_finite_meet_whole_sums) {
    cpu executor(GetParam());
    check_columns_factors<columns_one_shot>(executor, whole_number_battery());
    check_columns_factors<columns_by_plan>(executor, whole_number_battery());
}

INSTANTIATE_TEST_SUITE_P(threads, spmm_on_cpu, testing::Values(1, 3));

/// Rows enough for several parts, whose leaves are of all kinds; each with every shape.
std::vector<battery_case> large_cases() {
    auto const band = matrix_where(3000, 3000, [](auto i, auto j) {
        return j == i || j == i + 1 || j == i + 700 || (i - j < 40 && j - i < 40 && (i * j) % 5 == 3) ||
               (i / 64 == j / 64 && i % 640 < 64) ||
               (i / 64 == j / 64 && i % 640 >= 128 && i % 640 < 192 && (i * j) % 7);
    });
    coo<double> constant = matrix_where(5000, 5000, [](auto i, auto j) {
        return j == i || (j == i + 1 && i % 100 != 99) || (j == i - 1 && i % 100 != 0) || j == i + 100 || j == i - 100;
    });
    for (std::size_t k = 0; k < constant.values.size(); ++k)
        constant.values[k] = constant.rows[k] == constant.columns[k] ? 4 : constant.rows[k] % 1000 == 77 ? 3 : -1;
    // Leaves of few streaks, which are swept together: block rows of them alone, with rows before, between and behind
    // that have no entries, and block rows without any.
    auto const few_streaks = matrix_where(3000, 3000, [](auto i, auto j) {
        return i % 700 >= 70 && i % 700 < 500 && i % 90 != 40 &&
               (j == i || (j == i + 1 && i % 100 != 99) || j == i + 100 || j == i - 100 || j == i + 700);
    });
    // In one block row, and more than are swept together.
    auto const many_streaks = matrix_where(64, 9000, [](auto i, auto j) { return i < 60 && (j - i + 64) % 12 == 0; });
    return {{"band", band},
            {"constant streaks", constant},
            {"few streaks", few_streaks},
            {"many streaks", many_streaks},
            {"wide leaves", scattered(9000, 8000, 20000, 4)},
            {"a long row", matrix_where(2, 70000, [](auto, auto) { return true; })}};
}

template <class T, class V>
void check_on_every_instruction_set(cpu& executor, battery_case const& c, product_case const& p,
                                    columns_shape const& s) {
    csr<T> const a = to_csr(with_values_of<T>(c.matrix));
    hisparse<T> const tree = scaled(hisparse<T>(executor, a, {.node_dimension = p.node_dimension}), 3);
    hisparse<T> const op = p.transposed ? transposed(tree) : tree;
    spmv_plan<T> const plan(executor, op);
    expected_columns<T, V> const expected(a, p, s);
    on_every_instruction_set([&] {
        expected.check(
            executor,
            [&](V alpha, dense_view<V> x, V beta, dense_view<V> y) { spmm(executor, alpha, plan, x, beta, y); },
            c.name + ", plan");
        expected.check(
            executor, [&](V alpha, dense_view<V> x, V beta, dense_view<V> y) { spmm(executor, alpha, op, x, beta, y); },
            c.name);
    });
}

TEST(spmm, agrees_in_every_shape_on_every_instruction_set) {
    cpu executor(2);
    for (battery_case const& c : some_of(large_cases())) {
        int turn = 0;
        for (columns_shape const& s : some_of(columns_shapes())) {
            product_case const p{turn % 2 == 1, -2, turn % 3 == 0 ? 0.5 : 0.0, 3, turn % 4 == 1 ? 128 : 64};
            if (turn % 3 == 0 || s.columns == 33) check_on_every_instruction_set<double, double>(executor, c, p, s);
            if (turn % 3 == 1) check_on_every_instruction_set<float, float>(executor, c, p, s);
            if (turn % 3 == 2) check_on_every_instruction_set<float, double>(executor, c, p, s);
            ++turn;
        }
    }
}

TEST(spmm, takes_streaks_of_one_value_and_what_is_stored_once_for_two_places) {
    cpu executor(2);
    auto const cases = large_cases();
    auto const check = [&](coo<double> const& entries, hisparse_options const& options, auto has) {
        hisparse<double> const a(executor, entries, options);
        spmv_plan<double> const plan(executor, a);
        has(detail::direction_of(plan));
        for (bool const flip : {false, true})
            expected_columns<double, double>(to_csr(entries), {flip, 1, 0}, {9})
                .check(
                    executor,
                    [&](double alpha, dense_view<double> x, double beta, dense_view<double> y) {
                        spmm(executor, alpha, flip ? transposed(plan) : plan, x, beta, y);
                    },
                    "plan");
    };
    check(cases[1].matrix, {.node_dimension = 64}, [](auto const& lists) { EXPECT_GT(lists.streaks.size(), 0); });
    for (double const below : {1.0, -1.0})
        check(symmetric(cases[0].matrix, below), {.node_dimension = 64, .share_transposed = true},
              [](auto const& lists) { EXPECT_FALSE(lists.mirrored.groups.empty()); });
    check(cases[5].matrix, {}, [](auto const& lists) { EXPECT_GT(lists.split_count, 0); });
}

/// Y of more than 16 MB, by whole lines: at the beginning of one and within one, with gaps and without, from streaks
/// alone, with leaves beside them, and from leaves alone.
TEST(spmm, writes_large_results_past_the_caches) {
    cpu executor(2);
    std::int64_t const n = 270'000, k = 8;
    auto const near = [&](std::int64_t i) {
        std::vector<std::int64_t> columns{i};
        if (i % 5000 > 4000) columns = {i / 2, i};
        if (i + 1 < n) columns.push_back(i + 1);
        return columns;
    };
    for (bool const has_streaks : {true, false}) {
        coo<double> entries = matrix_of_rows(n, n, near);
        for (std::size_t e = 0; e < entries.values.size(); ++e)
            entries.values[e] =
                has_streaks && entries.rows[e] % 5000 <= 4000 ? 2 : static_cast<double>((e + e / 5) % 7) - 3;
        spmv_plan<double> const plan(executor, hisparse<double>(executor, entries));
        EXPECT_EQ(detail::direction_of(plan).streaks.size() > 0, has_streaks);
        EXPECT_GE(n * k * 8, detail::bytes_past_caches);
        std::vector<double> x(static_cast<std::size_t>(n * k)), expected(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 11) - 5;
        for (std::size_t e = 0; e < entries.values.size(); ++e)
            for (std::size_t c = 0; c < k; ++c)
                expected[static_cast<std::size_t>(entries.rows[e]) * k + c] +=
                    entries.values[e] * x[static_cast<std::size_t>(entries.columns[e]) * k + c];
        for (auto const& [offset, leading] : {std::pair<std::int64_t, std::int64_t>{8, 8}, {3, 8}, {8, 16}, {8, 9}}) {
            if (!takes_all_cases && (leading == 8) != has_streaks) continue;
            on_every_instruction_set([&, offset = offset, leading = leading] {
                buffer<double> const memory(executor,
                                            std::vector<double>(static_cast<std::size_t>(n * leading + 16), -7.0));
                vector_view<double> const inner(memory.data() + offset, n * leading, memory_space::host);
                spmm(executor, 2.0, plan, row_major(x, n, k), 0.0, row_major(inner, n, k, leading));
                int wrong = 0;
                for (std::int64_t i = -offset; i < n * leading + 16 - offset; ++i) {
                    bool const is_element = i >= 0 && i < n * leading && i % leading < k;
                    std::int64_t const row = is_element ? i / leading : 0;
                    double const wanted =
                        is_element ? 2 * expected[static_cast<std::size_t>(row * k + i % leading)] : -7.0;
                    wrong += memory.data()[i + offset] == wanted ? 0 : 1;
                }
                EXPECT_EQ(wrong, 0) << "offset " << offset << ", leading dimension " << leading;
            });
        }
    }
}

TEST(spmm, gives_the_same_bits_every_time) {
    cpu executor(3), other(2);
    for (battery_case const& c : large_cases()) {
        csr<double> const a = to_csr(c.matrix);
        spmv_plan<double> const plan(executor, hisparse<double>(executor, a));
        expected_columns<double, double> const expected(a, {false, 0.3, 0}, {11});
        std::vector<double> first;
        for (int k = 0; k < 10; ++k) {
            auto const y = expected.check(
                k % 2 == 0 ? executor : other,
                [&](double alpha, dense_view<double> x, double beta, dense_view<double> to) {
                    spmm(k % 2 == 0 ? executor : other, alpha, plan, x, beta, to);
                },
                c.name);
            if (k == 0) first = y;
            EXPECT_EQ(bits_of(y), bits_of(first)) << c.name;
        }
    }
}

class spmm_explored : public testing::TestWithParam<controller> {};

TEST_P(spmm_explored, agrees_with_the_reference) {
    if (COPSE_THREAD_SANITIZER) GTEST_SKIP() << "one thread has nobody to race with";
    emulated executor({.mode = emulation::explore, .seed = 1, .controller = GetParam()});
    std::vector<battery_case> const cases = few_rows_battery();
    check_columns_battery<columns_one_shot>(executor, cases, 1);
    check_columns_battery<columns_by_plan>(executor, cases, 1);
    check_columns_product<double, double, columns_one_shot>(executor, {"wide", scattered(1000, 4096, 6000, 7)},
                                                            {true, 2, 0.5, 3, 64}, {5, by_columns, by_rows, 1, 2});
    check_columns_product<double, double, columns_by_plan>(
        executor, {"a long row", matrix_where(3, 9000, [](auto, auto) { return true; })}, {false, 2, 0, 3, 64}, {5});
}
TEST_P(spmm_explored, factors_that_are_not_finite_meet_whole_sums) {
    if (COPSE_THREAD_SANITIZER) GTEST_SKIP() << "one thread has nobody to race with";
    emulated executor({.mode = emulation::explore, .seed = 3, .controller = GetParam()});
    check_columns_factors<columns_one_shot>(executor, small_whole_number_battery());
    check_columns_factors<columns_by_plan>(executor, small_whole_number_battery());
}

INSTANTIATE_TEST_SUITE_P(controllers, spmm_explored, every_controller(), controller_name);

TEST(spmm, has_nothing_to_do_without_columns) {
    cpu executor(1);
    hisparse<double> const a(executor, matrix_where(3, 5, [](auto i, auto j) { return i == j; }));
    std::vector<double> x(1, 1.0), y(1, 7.0);
    spmm(executor, 1.0, a, row_major(x, 5, 0), 0.0, row_major(y, 3, 0));
    spmm(executor, 1.0, spmv_plan<double>(executor, a), row_major(x, 5, 0, 4), 0.0, column_major(y, 3, 0));
    EXPECT_EQ(y[0], 7.0);
    hisparse<double> const none(executor, empty_matrix(1, 0));
    spmm(executor, 1.0, none, row_major(x, 0, 1), 2.0, row_major(y, 1, 1));
    EXPECT_EQ(y[0], 14.0);
}

TEST(spmm, takes_columns_of_one_array) {
    cpu executor(1);
    hisparse<double> const a(executor, matrix_where(4, 4, [](auto i, auto j) { return i == j; }));
    csr<double> const rows = to_csr(a);
    std::vector<double> v(4 * 5 + 2);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(i);
    auto const part = [&](std::int64_t first, std::int64_t columns) {
        return row_major(std::span(v).subspan(static_cast<std::size_t>(first)), 4, columns, 5);
    };
    spmm(executor, 1.0, spmv_plan<double>(executor, a), part(0, 2), 0.0, part(2, 2));
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(v[5 * i + 1], static_cast<double>(5 * i + 1));
        EXPECT_EQ(v[5 * i + 3], rows.values[i] * static_cast<double>(5 * i + 1));
        EXPECT_EQ(v[5 * i + 4], static_cast<double>(5 * i + 4));
    }
    auto const message = [&](auto x, auto y) {
        return message_of<argument_error>([&] { spmm(executor, 1.0, a, x, 0.0, y); });
    };
    std::string const overlap = "spmm: X and Y overlap; give Y memory of its own";
    EXPECT_EQ(message(part(0, 2), part(1, 2)), overlap);
    EXPECT_EQ(message(part(2, 2), part(1, 2)), overlap);
    EXPECT_EQ(message(part(0, 2), row_major(std::span(v).subspan(4), 4, 2, 4)), overlap);
    EXPECT_EQ(message(part(0, 2), part(4, 2)), overlap);  // its second column is in the rows behind
    EXPECT_EQ(message(part(0, 2), column_major(std::span(v).subspan(7), 4, 2)), overlap);
}

TEST(spmm, refuses_what_does_not_fit) {
    cpu executor(1);
    hisparse<double> const a(executor, matrix_where(3, 5, [](auto i, auto j) { return i == j; }));
    spmv_plan<double> const plan(executor, a);
    std::vector<double> x(20, 1.0), y(20, 2.0);
    auto const message = [&](auto of_x, auto of_y) {
        std::string const once = message_of<error>([&] { spmm(executor, 1.0, a, of_x, 0.0, of_y); });
        EXPECT_EQ(message_of<error>([&] { spmm(executor, 1.0, plan, of_x, 0.0, of_y); }), once);
        EXPECT_EQ(y, std::vector<double>(20, 2.0));
        return once;
    };
    EXPECT_EQ(message(row_major(x, 3, 2), row_major(y, 3, 2)), "spmm: op(A) is 3 x 5, so X must have 5 rows; it has 3");
    EXPECT_EQ(message(row_major(x, 5, 2), row_major(y, 5, 2)), "spmm: op(A) is 3 x 5, so Y must have 3 rows; it has 5");
    EXPECT_EQ(message(row_major(x, 3, 2), row_major(y, 5, 2)),
              "spmm: op(A) is 3 x 5, so X must have 5 rows; it has 3; both operands fit the transpose of op(A): "
              "multiply with that");
    EXPECT_EQ(message(row_major(x, 5, 2), row_major(y, 3, 3)),
              "spmm: X has 2 columns, so Y must have as many; it has 3");
    EXPECT_EQ(message(row_major(x, 5, 2), row_major(device_vector(y.data(), 20), 3, 2)),
              "spmm: Y is in device memory, but the executor works in host memory; make it with the same executor "
              "(copse::buffer, copse::hisparse)");
    spmv_plan<double> moved = plan;
    spmv_plan<double> const there = std::move(moved);
    EXPECT_THROW(spmm(executor, 1.0, moved, row_major(x, 5, 2), 0.0, row_major(y, 3, 2)), argument_error);
}

TEST(dense_view, says_what_is_too_small) {
    std::vector<double> memory(10);
    auto const message = [](auto make) { return message_of<shape_error>(make); };
    EXPECT_EQ(message([&] { row_major(memory, 3, 4, 3); }),
              "row_major: leading_dimension is 3, but a row of a 3 x 4 matrix has 4 elements; give at least so many");
    EXPECT_EQ(message([&] { column_major(memory, 3, 4, 2); }),
              "column_major: leading_dimension is 2, but a column of a 3 x 4 matrix has 3 elements; give at least so "
              "many");
    EXPECT_EQ(message([&] { row_major(memory, 3, 3, 4); }),
              "row_major: the array has 10 elements; 3 x 3 with leading_dimension 4 take 11");
    EXPECT_EQ(message([&] { row_major(memory, -1, 3); }), "row_major: a dense matrix cannot be -1 x 3");
    EXPECT_EQ(message([&] { row_major(memory, std::int64_t{1} << 62, 3, 4); }),
              "row_major: the array has 10 elements; 4611686018427387904 x 3 with leading_dimension 4 take more than "
              "there can be");
    EXPECT_EQ(row_major(memory, 3, 2, 4).extent(), 10);  // the last row has no gap behind it
    EXPECT_EQ(column_major(memory, 2, 5).column_step(), 2);
}

}  // namespace
}  // namespace copse::tests
