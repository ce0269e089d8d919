// Conversion by tasks in the orders that a seed chooses, and of many entries: what the thread sanitizer's build leaves
// out.
#include <controllers.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/from_rows/conversion_suite.hpp>
#include <formats/from_rows/host_conversion.hpp>

namespace copse::tests {
namespace {

/// A crowded inner node: leaves of 64 x 64 with 22 entries each; every ninth is left out if there are to be gaps.
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
    for (int d : {64, 128, 256})
        check_conversions({dense, holes}, d, convert, d == 128 ? conversions_of::csr_first : conversions_of::coo_first);
    check_conversions({{"wide leaf in parts", scattered(4000, 3900, 9000, 8)}}, 128, convert);
    check_conversions({{"scattered", scattered(20000, 17000, 60000, 7)}}, 256, convert);
    check_conversions({{"dense inner node", crowd_of_leaves(false)}, {"with gaps", crowd_of_leaves(true)}}, 64, convert,
                      conversions_of::coo_first);
}

class conversion_explored : public testing::TestWithParam<controller> {};

TEST_P(conversion_explored, makes_the_tree_of_the_host_in_any_order) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        emulated executor({.mode = emulation::explore, .seed = seed, .controller = GetParam()});
        check_conversions(all_in_few_lanes(), 64, converter_of(executor),
                          seed % 2 == 0 ? conversions_of::coo_first : conversions_of::csr_first);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST(conversion, clears_a_dense_inner_node_before_it_is_filled) {
    emulated executor({.mode = emulation::explore, .seed = 5});
    coo<double> const a = crowd_of_leaves(true);
    check_conversion<double>("crowd", a, 64, converter_of(executor));
    EXPECT_EQ(hisparse<double>(host_memory(), a, {.node_dimension = 64}).census().inner_nodes(node_kind::dense), 1);
}

INSTANTIATE_TEST_SUITE_P(controllers, conversion_explored, every_controller(), controller_name);

}  // namespace
}  // namespace copse::tests
