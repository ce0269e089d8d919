// Conversion by tasks on threads of the CPU. conversion_explored_test.cpp has what runs on one, conversion_gpu_test.cpp
// the gpu's.
#include <controllers.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/from_rows/conversion_suite.hpp>
#include <formats/from_rows/host_conversion.hpp>

namespace copse::tests {
namespace {

class conversion_of_dimension : public testing::TestWithParam<int> {};

TEST_P(conversion_of_dimension, makes_the_tree_of_the_host) {
    cpu executor(2);
    conversions_of const which = GetParam() == 64 ? conversions_of::coo_first : conversions_of::csr_first;
    check_conversions(small_battery(), GetParam(), converter_of(executor));
    check_conversions(matrices_in_strips(), GetParam(), converter_of(executor), which);
    check_conversions(largest_matrices(), GetParam(), converter_of(executor));
}

INSTANTIATE_TEST_SUITE_P(dimensions, conversion_of_dimension, testing::Values(64, 128, 256));

TEST(conversion, sums_duplicates_in_the_order_given) {
    cpu executor(1);
    // The 1 is lost only when it is added to 1e16 before that is taken away again.
    coo<double> const a{100, 100, {3, 70, 3, 3, 3}, {5, 5, 5, 5, 5}, {1e16, 8, 1, -1e16, 0.25}};
    auto const found = converter_of(executor)(a, {.node_dimension = 64});
    coo<double> const entries = to_coo(hisparse<double>(found));
    EXPECT_EQ(entries.rows, (std::vector<std::int32_t>{3, 70}));
    EXPECT_EQ(entries.values, (std::vector<double>{0.25, 8}));
}

TEST(conversion, leaves_what_is_wrong_to_the_host) {
    cpu executor(1);
    auto const convert = converter_of(executor);
    hisparse_options const options{.node_dimension = 64};
    EXPECT_TRUE(convert(coo<double>{70, 80, {69}, {79}, {1}}, options));
    EXPECT_FALSE(convert(coo<double>{70, 80, {1, 70}, {0, 0}, {1, 1}}, options));
    EXPECT_FALSE(convert(coo<double>{70, 80, {1, -1}, {0, 0}, {1, 1}}, options));
    EXPECT_FALSE(convert(coo<double>{70, 80, {1, 2}, {80, 0}, {1, 1}}, options));
    EXPECT_FALSE(convert(coo<double>{70, 80, {1, 2}, {0, -1}, {1, 1}}, options));
    EXPECT_TRUE(convert(csr<double>{2, 80, {0, 1, 3}, {79, 0, 79}, {1, 1, 1}}, options));
    EXPECT_FALSE(convert(csr<double>{2, 80, {0, 1, 3}, {79, 0, 80}, {1, 1, 1}}, options));
    EXPECT_FALSE(convert(csr<double>{2, 80, {0, 1, 3}, {79, -1, 7}, {1, 1, 1}}, options));
    EXPECT_FALSE(convert(csr<double>{2, 80, {0, 1, 3}, {79, 7, 7}, {1, 1, 1}}, options));
    EXPECT_FALSE(convert(csr<double>{3, 80, {0, 2, 1, 3}, {1, 2, 3}, {1, 1, 1}}, options));
    EXPECT_FALSE(convert(csr<double>{3, 80, {0, -2, 1, 3}, {1, 2, 3}, {1, 1, 1}}, options));
}

/// Rows that do not ascend, too, unless they were said to.
TEST(conversion, takes_views_without_the_host) {
    emulated executor;
    detail::host_steps steps;
    auto const convert = [&](csr_view<double> const& a) {
        return detail::tree_maker<double, emulated, detail::host_steps>(executor, steps, {.node_dimension = 64})
            .make(a);
    };
    std::vector<long> const offsets{1, 2, 4};
    std::vector<long> columns{80, 80, 2};
    std::vector<double> const values{1, 2, 3};
    auto const made = convert(csr_view(2, 80, offsets, columns, values, {.index_base = 1}));
    ASSERT_TRUE(made);
    expect_same_content(
        *made,
        *hisparse<double>(host_memory(), csr<double>{2, 80, {0, 1, 3}, {79, 1, 79}, {1, 3, 2}}, {.node_dimension = 64})
             .content(),
        sizeof(double));
    EXPECT_FALSE(convert(csr_view(2, 80, offsets, columns, values, {.index_base = 1, .ascending = true})));
    EXPECT_FALSE(convert(csr_view(2, 79, offsets, columns, values, {.index_base = 1})));
    EXPECT_FALSE(convert(csr_view(2, 80, std::vector<int>{1, 4, 4}, columns, values, {.index_base = 2})));
    EXPECT_FALSE(convert(csr_view(3, 80, std::vector<int>{1, 4, 2, 4}, columns, values, {.index_base = 1})));
    EXPECT_FALSE(convert(csr_view(2, 80, std::vector<int>{1, 2, 3}, columns, values, {.index_base = 1})));
    columns.back() = std::int64_t{1} << 32;
    EXPECT_FALSE(convert(csr_view(2, 80, offsets, columns, values, {.index_base = 1})));
}

/// Entries and nodes have numbers of 32 bits; here fewer. 64 entries in a leaf each, and the root: 65 nodes.
TEST(conversion, leaves_too_many_entries_or_nodes_to_the_host) {
    emulated executor;
    detail::host_steps steps;
    hisparse_options const options{.node_dimension = 64};
    coo<double> entries{4096, 4096, {}, {}, {}};
    for (std::int32_t i = 0; i < 4096; i += 64) {
        entries.rows.push_back(i);
        entries.columns.push_back(i);
        entries.values.push_back(i);
    }
    csr<double> const rows = to_csr(entries);
    csr_matrix<double> const placed(executor, rows);
    auto const by_tasks = [&](auto const& a, std::int64_t most) {
        return detail::tree_maker<double, emulated, detail::host_steps>(executor, steps, options, most).make(a);
    };
    for (std::int64_t const few : {1, 64, 65}) {
        EXPECT_FALSE(by_tasks(entries, few)) << few;
        EXPECT_FALSE(by_tasks(rows, few)) << few;
        EXPECT_FALSE(by_tasks(*placed.content(), few)) << few;
    }
    auto const by_host = hisparse<double>(executor.memory(), placed, options).content();
    for (auto const& tree : {by_tasks(entries, 66), by_tasks(rows, 66), by_tasks(*placed.content(), 66)}) {
        ASSERT_TRUE(tree);
        expect_same_content(*tree, *by_host, sizeof(double));
    }
}

class conversion_stressed : public testing::TestWithParam<controller> {};

TEST_P(conversion_stressed, makes_the_tree_of_the_host) {
    emulated executor({.mode = emulation::stress, .controller = GetParam()});
    std::vector<battery_case> cases = all_in_few_lanes();
    cases.resize(2);  // all tasks but the deeper inner nodes
    check_conversions(cases, 64, converter_of(executor));
}

INSTANTIATE_TEST_SUITE_P(controllers, conversion_stressed, every_controller(), controller_name);

}  // namespace
}  // namespace copse::tests
