// The lists of a plan's two directions: which are there from the beginning, and what a first use makes.
#include <gtest/gtest.h>

#include <algebra/plans/plan_matrices.hpp>
#include <algebra/products/spmv_suite.hpp>
#include <cmath>
#include <copse/algebra/add.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/spmm.hpp>
#include <copse/algebra/spmv_both.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <thread>
#include <tuple>
#include <vector>

namespace copse::tests {
namespace {

template <class Plan>
std::vector<double> product_by(cpu& executor, Plan const& plan, special_values values = special_values::none) {
    auto const x = input_vector<double>(plan.column_count(), values);
    std::vector<double> y(static_cast<std::size_t>(plan.row_count()), NAN);
    spmv(executor, 1.0, plan, x, 0.0, y);
    return y;
}

/// Arenas of turned leaves have other numbers.
auto place_of(detail::listed_leaf const& item) {
    child_reference const r = item.leaf.reference;
    return std::tuple(r.offset(), r.kind(), r.level(), r.transposed(), item.leaf.row, item.leaf.column, item.first,
                      item.last);
}
void expect_same_direction(detail::plan_direction const& a, detail::plan_direction const& b) {
    auto const items_a = a.items.to_host(), items_b = b.items.to_host();
    ASSERT_EQ(items_a.size(), items_b.size());
    for (std::size_t i = 0; i < items_a.size(); ++i) {
        ASSERT_EQ(place_of(items_a[i]), place_of(items_b[i])) << i;
    }
    EXPECT_EQ(a.work_before, b.work_before);
    EXPECT_EQ(a.streaks.size(), b.streaks.size());
    EXPECT_EQ(a.mirrored.items.size(), b.mirrored.items.size());
    EXPECT_EQ(a.columns.groups.size(), b.columns.groups.size());
    EXPECT_EQ(a.bytes(), b.bytes());
}

/// Every way to store leaves that a plan looks at.
std::vector<hisparse<double>> matrices_of_all_leaves(cpu& executor) {
    auto const tree = [&](coo<double> const& a, hisparse_options options = {.node_dimension = 64}) {
        return hisparse<double>(executor, a, options);
    };
    coo<double> const one_value = matrix_where(700, 900, [](auto i, auto j) { return (j - i) % 7 == 0 && j - i < 29; });
    coo<double> const symmetric = matrix_where(900, 900, [](auto i, auto j) { return (i + j) % 37 < 3; });
    hisparse<double> const wide = tree(scattered(6000, 6000, 9000, 3));
    return {tree(mixed_matrix(), {}),
            tree(wide_leaves_of_many_sizes()),
            tree(one_value, {.node_dimension = 64, .values = stored_values::once}),
            tree(symmetric, {.node_dimension = 64, .share_transposed = true}),
            add(executor, 1.0, wide, 1.0, transposed(tree(scattered(6000, 6000, 9000, 12)))),
            tree(empty_matrix(70, 90))};
}

TEST(plan_directions, are_the_same_whenever_they_are_made) {
    cpu executor(2);
    for (hisparse<double> const& a : matrices_of_all_leaves(executor))
        for (hisparse<double> const& op : {a, a.transposed()}) {
            spmv_plan<double> const plan(executor, op), whole(executor, op, plan_directions::both);
            EXPECT_LT(plan.bytes(), whole.bytes());
            EXPECT_GT(plan.list_bytes(), 0);
            EXPECT_EQ(plan.transposed().list_bytes(), 0);
            EXPECT_EQ(product_by(executor, plan), product_by(executor, whole));
            EXPECT_LT(plan.bytes(), whole.bytes());
            spmv_plan<double> const copy = plan;
            EXPECT_EQ(product_by(executor, scaled(transposed(copy), 1)), product_by(executor, whole.transposed()));
            EXPECT_EQ(plan.bytes(), whole.bytes());
            EXPECT_EQ(plan.transposed().list_bytes(), whole.transposed().list_bytes());
            expect_same_direction(detail::direction_of(plan.transposed()), detail::direction_of(whole.transposed()));
        }
}

TEST(plan_directions, one_suffices_to_read_a_once) {
    cpu executor(2);
    hisparse<double> const a(executor, matrix_where(9000, 9000, [](auto i, auto j) { return j >= i && j < i + 3; }));
    spmv_plan<double> const plan(executor, a), whole(executor, a, plan_directions::both);
    ASSERT_FALSE(detail::direction_of(plan).columns.groups.empty());
    std::int64_t const before = plan.bytes();
    auto const x = input_vector<double>(9000, special_values::none);
    auto const multiply = [&](spmv_plan<double> const& by, double alpha) {
        std::vector<double> y(9000, 1), z(9000, 1);
        auto const sum = [](std::int64_t, double v) { return v; };
        auto const sums = spmv_both(executor, by, alpha, x, 1.0, y, 1.0, x, 1.0, z, sum, sum);
        double const square = normal_product(executor, by, x, sum, 1.0, z);
        y.insert(y.end(), z.begin(), z.end());
        y.insert(y.end(), {sums.first, sums.second, square});
        return y;
    };
    EXPECT_EQ(multiply(plan, 2.0), multiply(whole, 2.0));
    EXPECT_EQ(plan.bytes(), before);
    EXPECT_EQ(multiply(plan, 0.0), multiply(whole, 0.0));  // two products
    EXPECT_EQ(plan.bytes(), whole.bytes());
}

TEST(plan_directions, are_those_of_the_plan_that_is_updated) {
    cpu executor(2);
    for (coo<double> entries : {mixed_matrix(), scattered(6000, 5000, 9000, 3)}) {
        entries.values.assign(entries.values.size(), 3);
        hisparse<double> const a(executor, entries, {.node_dimension = 64, .values = stored_values::each});
        std::vector<double> const values(static_cast<std::size_t>(a.entry_count()), 7);
        hisparse<double> const changed = edit(a, edits<double>().set(700, 800, 5).erase(3, 5));
        for (hisparse<double> const& next : {changed, with_values(executor, a, values), compact(a)}) {
            spmv_plan<double> const plan(executor, a), turned(executor, a.transposed());
            spmv_plan<double> const updated = update(plan, next), updated_turned = update(turned, next.transposed());
            EXPECT_GT(updated.list_bytes(), 0);
            EXPECT_EQ(updated.transposed().list_bytes(), 0);
            EXPECT_GT(updated_turned.list_bytes(), 0);
            EXPECT_EQ(updated_turned.transposed().list_bytes(), 0);
            spmv_plan<double> const wanted(executor, next);
            for (spmv_plan<double> const& made : {updated, updated_turned.transposed()}) {
                auto const exact = special_values::whole_numbers;  // in any order
                EXPECT_EQ(product_by(executor, made, exact), product_by(executor, wanted, exact));
                EXPECT_EQ(product_by(executor, made.transposed(), exact),
                          product_by(executor, wanted.transposed(), exact));
            }
        }
    }
}

/// Threads with executors of their own, or with one for all, each with another product by A^T.
void check_first_use_at_once(std::vector<cpu*> const& executors, hisparse<double> const& a) {
    spmv_plan<double> const plan(*executors[0], a), whole(*executors[0], a, plan_directions::both);
    auto const expected = product_by(*executors[0], whole.transposed());
    std::latch together(std::ssize(executors));
    std::vector<std::vector<double>> found(executors.size());
    {
        std::vector<std::jthread> threads;
        for (std::size_t k = 0; k < executors.size(); ++k)
            threads.emplace_back([&, k] {
                spmv_plan<double> const own = plan;
                together.arrive_and_wait();
                found[k] = product_by(*executors[k], own.transposed());
            });
    }
    for (auto const& each : found) EXPECT_EQ(each, expected);
    EXPECT_EQ(plan.bytes(), whole.bytes());
}

TEST(plan_directions, are_made_once_for_threads_that_ask_at_once) {
    cpu first(2), second(2), third(1);
    for (coo<double> const& entries : {mixed_matrix(), scattered(6000, 5000, 9000, 3)}) {
        hisparse<double> const a(first, entries, {.node_dimension = 64});
        check_first_use_at_once({&first, &second, &third}, a);
        check_first_use_at_once({&first, &first}, a);
    }
}

TEST(plan_directions, of_lanes_are_made_by_the_first_of_any_products) {
    emulated executor({.mode = emulation::explore, .seed = 3});
    hisparse<double> const a(executor, mixed_block(), {.node_dimension = 64});
    std::vector<double> const x(200, 0.5);
    std::vector<double> expected(150);
    spmv(executor, 1.0, spmv_plan<double>(executor, a.transposed()), x, 0.0, expected);
    spmv_plan<double> const columns_first(executor, a);
    std::vector<double> y(150, NAN);
    spmm(executor, 1.0, transposed(columns_first), column_major(x, 200, 1), 0.0, column_major(y, 150, 1));
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-12 * std::abs(expected[i])) << i;
    EXPECT_GT(columns_first.transposed().list_bytes(), 0);
}

/// What does not fit is refused before anything is made.
TEST(plan_directions, are_not_made_for_nothing) {
    cpu executor(1);
    std::vector<double> two(2), three(3);
    auto const check = [&](auto const& plan) {
        std::int64_t const before = plan.bytes();
        EXPECT_THROW(spmv(executor, 1.0, transposed(plan), two, 0.0, three), shape_error);
        EXPECT_THROW(spmm(executor, 1.0, transposed(plan), column_major(two, 2, 1), 0.0, column_major(three, 3, 1)),
                     shape_error);
        EXPECT_EQ(plan.bytes(), before);
        spmv(executor, 1.0, transposed(plan), three, 0.0, two);
        EXPECT_GT(plan.bytes(), before);
    };
    coo<double> const entries{3, 2, {0, 2}, {1, 0}, {3, 4}};
    check(spmv_plan<double>(executor, hisparse<double>(executor, entries)));
    check(flat_plan(executor, sellp<double>(executor, to_csr(entries))));
}

TEST(flat_plan_directions, are_made_when_they_are_used) {
    cpu first(2), second(3);
    csr<double> const rows = to_csr(mixed_matrix());
    csr5<double> const a(first, rows);
    for (csr5<double> const& op : {a, a.transposed()}) {
        flat_plan const plan(first, op), whole(first, op, plan_directions::both);
        EXPECT_EQ(plan.bytes() < whole.bytes(), !op.is_transposed());
        EXPECT_EQ(product_by(first, plan), product_by(first, whole));
        std::vector<std::vector<double>> found(2);
        std::latch together(2);
        auto const multiply = [&](std::size_t k, cpu& executor) {
            together.arrive_and_wait();
            found[k] = product_by(executor, plan.transposed());
        };
        {
            std::jthread const other([&] { multiply(1, second); });
            multiply(0, first);
        }
        for (auto const& each : found) EXPECT_EQ(each, product_by(first, whole.transposed()));
        EXPECT_EQ(plan.bytes(), whole.bytes());
    }
}

TEST(flat_plan_directions, are_cut_for_the_threads_that_the_plan_was_made_for) {
    cpu first(2), other(3);
    csr5<double> const a(first, to_csr(mixed_matrix()));
    flat_plan const plan(first, a), whole(first, a, plan_directions::both);
    product_by(other, plan.transposed());
    EXPECT_EQ(content_of(plan)->turned.made()->parts, content_of(whole)->turned.made()->parts);
}

// A has short rows, A^T a long one.
TEST(flat_plan_directions, stay_usable_where_the_other_is_refused) {
    cpu executor(1);
    csr<double> const arrow = to_csr(matrix_where(3000, 3000, [](auto i, auto j) { return j == 0 || i == j; }));
    flat_plan const plan(executor, sellp<double>(executor, arrow, {.slice_rows = 32}));
    auto const before = product_by(executor, plan);
    for (int k = 0; k < 2; ++k) EXPECT_THROW(product_by(executor, plan.transposed()), too_much_padding);
    EXPECT_EQ(product_by(executor, plan), before);
}

}  // namespace
}  // namespace copse::tests
