// Conversion by tasks, on the executors that work in host memory; conversion_gpu_test.cpp has the gpu's.
#include <copse/formats/conversion_run.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/conversion_suite.hpp>
#include <formats/host_primitives.hpp>

namespace copse::tests {
namespace {

template <class T>
detail::matrix_entries<T> entries_of(coo<T> const& a) {
    return {a.row_count, a.column_count, a.entry_count(), nullptr, a.rows.data(), a.columns.data(), a.values.data()};
}
template <class T>
detail::matrix_entries<T> entries_of(csr<T> const& a) {
    return {a.row_count, a.column_count,          a.entry_count(), a.row_offsets.data(),
            nullptr,     a.column_indices.data(), a.values.data()};
}

/// What the gpu executor does, on another.
template <class Executor>
auto converter_of(Executor& executor) {
    return [&](auto const& a, hisparse_options options) {
        return detail::convert_on(executor, host_primitives(), entries_of(a),
                                  std::countr_zero(static_cast<unsigned>(options.node_dimension)));
    };
}

class conversion_of_dimension : public testing::TestWithParam<int> {};

TEST_P(conversion_of_dimension, makes_the_tree_of_the_host) {
    cpu executor(2);
    check_conversions(small_battery(), GetParam(), converter_of(executor));
    check_conversions(largest_matrices(), GetParam(), converter_of(executor));
}

INSTANTIATE_TEST_SUITE_P(dimensions, conversion_of_dimension, testing::Values(64, 128, 256));

/// A crowded inner node: leaves of 64 x 64 with 22 entries each, every ninth of 64 * 64 left out if there are to be gaps.
coo<double> crowd_of_leaves(bool gaps) {
    coo<double> a = empty_matrix(4096, 4096);
    for (int leaf = 0; leaf < 4096; ++leaf)
        for (int row = gaps && leaf % 9 == 4 ? 64 : 0; row < 64; row += 3) {
            a.rows.push_back(leaf / 64 * 64 + row);
            a.columns.push_back(leaf % 64 * 64 + leaf / 64);
            a.values.push_back(leaf + row);
        }
    return a;
}

TEST(conversion, makes_the_tree_of_the_host_from_many_entries) {
    cpu executor(2);
    auto const convert = converter_of(executor);
    battery_case const dense{"dense", matrix_where(256, 290, [](auto, auto) { return true; })};
    battery_case const holes{"dense with holes",
                             matrix_where(256, 256, [](auto i, auto j) { return (i + 3 * j) % 97 != 0; })};
    for (int d : {64, 128, 256}) check_conversions({dense, holes}, d, convert);
    check_conversions({{"wide leaf in parts", scattered(4000, 3900, 9000, 8)}}, 128, convert);
    check_conversions({{"scattered", scattered(20000, 17000, 60000, 7)}}, 256, convert);
    check_conversions({{"dense inner node", crowd_of_leaves(false)}, {"with gaps", crowd_of_leaves(true)}}, 64,
                      convert);
}

TEST(conversion, sums_duplicates_in_the_order_given) {
    cpu executor(1);
    // In every other order the sum is another.
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
}

/// Leaves of all kinds, small and large, in inner nodes and in wide leaves, with duplicates.
std::vector<battery_case> all_in_few_lanes() {
    coo<double> twice = scattered(70, 200, 300, 4);
    for (std::size_t i = 0; i < 100; ++i) {
        twice.rows.push_back(twice.rows[i]);
        twice.columns.push_back(twice.columns[i]);
        twice.values.push_back(3);
    }
    return {{"runs and lists",
             matrix_where(140, 140,
                          [](auto i, auto j) { return i == j || j == i + 70 || i == 7 || (i + 3 * j) % 31 == 0; })},
            {"wide, in two parts", scattered(4000, 3900, 1500, 5)},
            {"wide", matrix_where(200, 300, [](auto i, auto j) { return (i * 13 + j * 7) % 97 == 0; })},
            {"duplicates", twice},
            {"dense", matrix_where(64, 64, [](auto i, auto j) { return (i + 3 * j) % 11 != 0; })},
            {"levels", scattered(1 << 30, 1 << 28, 20, 6)}};
}

class conversion_explored : public testing::TestWithParam<controller> {};

TEST_P(conversion_explored, makes_the_tree_of_the_host_in_any_order) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        emulated executor({.mode = emulation::explore, .seed = seed, .controller = GetParam()});
        check_conversions(all_in_few_lanes(), 64, converter_of(executor));
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST(conversion, clears_a_dense_inner_node_before_it_is_filled) {
    emulated executor({.mode = emulation::explore, .seed = 5});
    coo<double> const a = crowd_of_leaves(true);
    check_conversion<double>("crowd", a, 64, converter_of(executor));
    EXPECT_EQ(hisparse<double>(host_memory(), a, {.node_dimension = 64}).census().inner_nodes(node_kind::dense), 1);
}

class conversion_stressed : public testing::TestWithParam<controller> {};

TEST_P(conversion_stressed, makes_the_tree_of_the_host) {
    emulated executor({.mode = emulation::stress, .controller = GetParam()});
    check_conversions(all_in_few_lanes(), 64, converter_of(executor));
}

auto const controllers = testing::Values(controller::persistent, controller::device, controller::host);
std::string controller_name(testing::TestParamInfo<controller> const& info) {
    return info.param == controller::persistent ? "persistent" : info.param == controller::device ? "device" : "host";
}
INSTANTIATE_TEST_SUITE_P(controllers, conversion_explored, controllers, controller_name);
INSTANTIATE_TEST_SUITE_P(controllers, conversion_stressed, controllers, controller_name);

}  // namespace
}  // namespace copse::tests
