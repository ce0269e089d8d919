// Plans whose parts go by streams of rows.
#include <algebra/plans/plan_matrices.hpp>
#include <algebra/products/spmv_suite.hpp>
#include <cmath>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/replay_emulated.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <vector>

namespace copse::tests {
namespace {

constexpr detail::plan_shape streams = [] {
    detail::plan_shape shape = detail::replay_shape;
    shape.most_in_streamed_leaf = 1 << 20;
    return shape;
}();
/// Parts of streams and of items.
constexpr detail::plan_shape streams_of_small_leaves = [] {
    detail::plan_shape shape = streams;
    shape.most_in_streamed_leaf = 32;
    return shape;
}();
/// Blocks of rows in many parts.
constexpr detail::plan_shape streams_in_small_parts = [] {
    detail::plan_shape shape = streams;
    shape.join_entries = 100;
    shape.most_entries = 130;
    shape.most_in_item = 50;
    return shape;
}();

/// The same without streams: items are cut.
constexpr detail::plan_shape small_parts = [] {
    detail::plan_shape shape = streams_in_small_parts;
    shape.most_in_streamed_leaf = 0;
    return shape;
}();

/// Rows with none, one, and many entries; lanes, chunks of 128 and parts end within rows and between them.
coo<double> rows_of_all_lengths() {
    return matrix_where(700, 1500, [](auto i, auto j) {
        auto const length = i % 7 == 0 ? 0 : i % 11 == 0 ? 133 : i % 5 == 0 ? 4 : i % 9 + 1;
        return (j * 37 + i * 11) % 1500 < length || i == 300;
    });
}

template <class T>
hisparse<T> tree_of(coo<T> const& entries, int node_dimension) {
    cpu executor(1);
    return hisparse<T>(executor, entries, {.node_dimension = node_dimension});
}

std::int64_t streams_in(spmv_plan<double> const& plan) {
    std::int64_t count = 0;
    for (detail::part_stream const& s : detail::direction_of(plan).streams.to_host()) count += s.count > 0;
    return count;
}

std::vector<coo<double>> matrices() {
    return {rows_of_all_lengths(), mixed_matrix(), leaves_of_many_sizes(), wide_leaves_of_many_sizes()};
}

// As stored or transposed by turns: each matrix and each shape is both.
TEST(row_stream, gives_what_a_product_is) {
    int turn = 0;
    for (coo<double> const& entries : matrices()) {
        for (auto const& shape : {streams, streams_of_small_leaves, streams_in_small_parts, small_parts}) {
            emulated executor({.mode = emulation::explore, .seed = 1});
            hisparse<double> const stored = tree_of(entries, 64);
            hisparse<double> const a = turn++ % 2 == 1 ? stored.transposed() : stored;
            spmv_plan<double> const plan = detail::plan_in_shape(executor, a, shape);
            EXPECT_EQ(streams_in(plan) > 0, shape.most_in_streamed_leaf > 0);
            std::vector<double> y(static_cast<std::size_t>(plan.row_count()), 3.0);
            auto const x = input_vector<double>(plan.column_count(), special_values::none);
            auto expected = y;
            cpu host(1);
            spmv(host, 2.0, a, x, -1.0, expected);
            spmv(executor, 2.0, plan, x, -1.0, y);
            for (std::size_t i = 0; i < y.size(); ++i)
                ASSERT_NEAR(y[i], expected[i], 1e-12 * std::abs(expected[i]) + 1e-12) << "row " << i;
        }
        ++turn;
    }
}

TEST(row_stream, gives_the_same_bits_in_every_order_of_tasks) {
    hisparse<double> const a = tree_of(rows_of_all_lengths(), 64);
    std::vector<double> first;
    for (std::uint64_t seed : {1, 2, 3}) {
        emulated executor({.mode = emulation::explore, .seed = seed});
        spmv_plan<double> const plan = detail::plan_in_shape(executor, a, streams_in_small_parts);
        std::vector<double> y(700, NAN);
        spmv(executor, 1.0, plan, input_vector<double>(1500, special_values::none), 0.0, y);
        if (first.empty()) first = y;
        EXPECT_EQ(y, first);
    }
}

TEST(row_stream, lets_no_row_see_what_is_in_others) {
    coo<double> const entries = rows_of_all_lengths();
    hisparse<double> const a = tree_of(entries, 64);
    emulated executor({.mode = emulation::explore, .seed = 3});
    spmv_plan<double> const plan = detail::plan_in_shape(executor, a, streams);
    std::vector<double> y(700, NAN), x(1500, 1.0);
    x[302] = INFINITY;
    x[0] = NAN;
    spmv(executor, 1.0, plan, x, 0.0, y);
    std::vector<bool> sees(y.size(), false);
    for (std::size_t k = 0; k < entries.values.size(); ++k)
        if (entries.columns[k] == 302 || entries.columns[k] == 0)
            sees[static_cast<std::size_t>(entries.rows[k])] = true;
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isfinite(y[i]), !sees[i]) << "row " << i;
}

TEST(row_stream, multiplies_matrices_of_float) {
    auto const entries = with_values_of<float>(rows_of_all_lengths());
    hisparse<float> const a = tree_of(entries, 64);
    emulated executor({.mode = emulation::explore, .seed = 1});
    cpu host(1);
    spmv_plan<float> const plan = detail::plan_in_shape(executor, a, streams_in_small_parts);
    std::vector<double> y(700, NAN), expected(700);
    auto const x = input_vector<double>(1500, special_values::none);
    spmv(executor, 1.0, plan, x, 0.0, y);
    spmv(host, 1.0, spmv_plan<float>(host, a), x, 0.0, expected);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-12 * std::abs(expected[i]) + 1e-12);
    std::vector<float> narrow(700, NAN);
    auto const narrow_x = input_vector<float>(1500, special_values::none);
    spmv(executor, 1.0f, plan, narrow_x, 0.0f, narrow);
    for (float value : narrow) ASSERT_FALSE(std::isnan(value));
}

TEST(row_stream, follows_edits_and_other_values) {
    emulated executor({.mode = emulation::explore, .seed = 1});
    hisparse<double> const a = tree_of(rows_of_all_lengths(), 64);
    spmv_plan<double> const plan = detail::plan_in_shape(executor, a, streams_in_small_parts);
    for (int what = 0; what < 2; ++what) {
        cpu host(1);
        auto const changes = what == 0 ? edits<double>().set(5, 7, 2.5).set(699, 1499, -1.0).erase(300, 12)
                                       : edits<double>().set(300, 12, 8.0);
        auto const edited = edit(a, changes);
        spmv_plan<double> const updated = update(plan, edited);
        EXPECT_GT(streams_in(updated), 0);
        std::vector<double> y(700, NAN), expected(700);
        auto const x = input_vector<double>(1500, special_values::none);
        spmv(executor, 1.0, updated, x, 0.0, y);
        spmv(host, 1.0, edited, x, 0.0, expected);
        for (std::size_t i = 0; i < y.size(); ++i)
            ASSERT_NEAR(y[i], expected[i], 1e-12 * std::abs(expected[i]) + 1e-12) << "row " << i;
    }
}

}  // namespace
}  // namespace copse::tests
