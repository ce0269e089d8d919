// From HiSparse to compressed rows by tasks: on threads of the CPU, and with the GPU's lanes.
#include <controllers.hpp>
#include <copse/formats/to_rows/tree_rows_operation.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/from_rows/conversion_suite.hpp>
#include <formats/steps/steps_on.hpp>
#include <formats/to_rows/tree_rows_suite.hpp>

namespace copse::tests {
namespace {

template <class Executor>
auto rows_by(Executor& executor) {
    return [&](hisparse<double> const& a) { return detail::rows_on<double>(executor, host_steps(), *a.content()); };
}

class tree_rows_of_dimension : public testing::TestWithParam<int> {};

TEST_P(tree_rows_of_dimension, are_the_hosts) {
    cpu executor(2);
    check_trees(small_battery(), GetParam(), rows_by(executor));
    check_trees(matrices_in_sections(), GetParam(), rows_by(executor));
    check_trees(all_in_few_lanes_of_rows(), GetParam(), rows_by(executor));
}

INSTANTIATE_TEST_SUITE_P(dimensions, tree_rows_of_dimension, testing::Values(64, 128, 256));

TEST(tree_rows, of_sums_and_shared_nodes) {
    cpu executor(2);
    check_sums(all_pairs(), rows_by(executor));
    check_shared_nodes(rows_by(executor));
}

TEST(tree_rows, of_float) {
    cpu executor(1);
    coo<float> const a = with_values_of<float>(scattered(5000, 9000, 30000, 34));
    hisparse<float> const tree(host_memory(), a);
    expect_equal(*detail::rows_on<float>(executor, host_steps(), *tree.content()), to_csr(tree));
}

TEST(tree_rows, of_the_widest_row_and_of_nothing) {
    cpu executor(1);
    std::int64_t const n = std::int64_t{1} << 31;
    coo<double> const row{1, n, {0, 0, 0}, {2147483647, 1 << 20, 0}, {1, 0, 3}};
    check_tree("widest row", hisparse<double>(host_memory(), row), rows_by(executor));
    check_tree("no rows", hisparse<double>(host_memory(), empty_matrix(0, 9)), rows_by(executor));
    check_tree("no entries", hisparse<double>(host_memory(), empty_matrix(300, 9)), rows_by(executor));
}

/// No segment is to have much more than its share, and none is to cross block rows: each has a worker to itself.
TEST(tree_rows, are_shared_out_in_equal_segments) {
    std::vector<detail::tree_piece> const pieces(8, {child_reference(), 0, 1500 - detail::piece_weight});
    std::vector<std::uint64_t> const keys{0x10, 0x11, 0x12, 0x13, 0x20, 0x21, 0x40, 0x41};  // four bits for columns
    std::vector<std::uint32_t> const numbers{0, 1, 2, 3, 4, 5, 6, 7};
    detail::ordered_pieces const ordered{{4}, pieces.data(), keys.data(), numbers.data(), 8};
    std::vector<std::int64_t> weights(9), marks(9);
    host_steps const steps;
    steps.for_each(9, detail::weigh_pieces{ordered, weights.data()});
    steps.sum_before(weights.data(), 9);
    EXPECT_EQ(weights.back(), 12000);
    steps.for_each(9, detail::mark_segments{ordered, weights.data(), marks.data()});
    // 0, 1500, 3000, | 4500 || 6000, 7500 || 9000, 10500
    EXPECT_EQ(marks, (std::vector<std::int64_t>{1, 0, 0, 1, 1, 0, 1, 0, 0}));
}

/// Many segments of a block row, and of pieces that have more entries than a segment is to have.
TEST(tree_rows, of_crowded_block_rows) {
    cpu executor(2);
    std::vector<battery_case> const cases{
        // No run along a diagonal reaches six entries.
        {"dense", matrix_where(300, 600, [](auto i, auto j) { return i % 6 != 5 && j % 64 != 3; })},
        {"full", matrix_where(256, 512, [](auto, auto) { return true; })},
        {"long rows", matrix_where(70, 20000, [](auto i, auto j) { return i % 60 == 5 || (i + j) % 50 == 0; })}};
    for (int d : {64, 256}) check_trees(cases, d, rows_by(executor));
}

/// Matrices whose tasks are few enough for every lane to be a fiber.
std::vector<battery_case> for_lanes() {
    auto cases = all_in_few_lanes_of_rows();
    cases.push_back({"full leaf", matrix_where(64, 64, [](auto, auto) { return true; })});
    cases.push_back({"few in a leaf", scattered(300, 300, 250, 8)});
    cases.push_back({"one entry", {1000, 900, {999}, {0}, {0}}});
    return cases;
}

class tree_rows_explored : public testing::TestWithParam<controller> {};

TEST_P(tree_rows_explored, are_the_hosts_in_any_order) {
    emulated executor({.mode = emulation::explore, .seed = 7, .controller = GetParam()});
    check_trees(for_lanes(), 64, rows_by(executor));
}

TEST(tree_rows_explored, of_sums) {
    emulated executor({.mode = emulation::explore, .seed = 3});
    check_sums(pairs_of_leaves(), rows_by(executor));
    std::vector<pair_case> above = pairs_above_leaves();
    std::erase_if(above, [](pair_case const& p) { return p.name.find("dense") != std::string::npos; });
    check_sums(above, rows_by(executor));
}

class tree_rows_stressed : public testing::TestWithParam<controller> {};

TEST_P(tree_rows_stressed, are_the_hosts) {
    emulated executor({.mode = emulation::stress, .controller = GetParam()});
    std::vector<battery_case> cases = all_in_few_lanes_of_rows();
    cases.resize(2);
    check_trees(cases, 64, rows_by(executor));
}

INSTANTIATE_TEST_SUITE_P(controllers, tree_rows_explored, every_controller(), controller_name);
INSTANTIATE_TEST_SUITE_P(controllers, tree_rows_stressed, every_controller(), controller_name);

}  // namespace
}  // namespace copse::tests
