// Every operation on every kind of node at every level: the table of node_kinds_suite.hpp.
#include <algebra/node_kinds_suite.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <set>
#include <tuple>

namespace copse::tests {
namespace {

using enum node_kind;

TEST(node_kinds, the_table_has_all) {
    std::set<std::tuple<int, int, node_kind>> expected, without_products;
    for (int d : {64, 128, 256}) {
        for (node_kind leaf : {sparse, dense, diagonal}) expected.insert({d, 0, leaf});
        for (node_kind above : {sparse, dense, wide}) expected.insert({d, 1, above});
        for (node_kind upper : {sparse, dense}) expected.insert({d, 2, upper});
        expected.insert({d, 3, sparse});
    }
    expected.insert(
        {{64, 3, dense}, {64, 4, sparse}, {64, 4, dense}, {64, 5, sparse}, {128, 3, dense}, {128, 4, sparse}});
    std::set<std::tuple<int, int, node_kind>> found;
    for (node_case const& c : node_cases()) {
        EXPECT_TRUE(found.insert({c.node_dimension, c.level, c.kind}).second) << c.name();
        if (!has_products(c)) without_products.insert({c.node_dimension, c.level, c.kind});
    }
    EXPECT_EQ(found, expected);
    decltype(found)
        const too_long{{64, 3, dense},  {64, 4, sparse},  {64, 4, dense},  {64, 5, sparse}, {128, 3, sparse},
                       {128, 3, dense}, {128, 4, sparse}, {256, 2, dense}, {256, 3, sparse}};
    EXPECT_EQ(without_products, too_long);
}

TEST(node_kinds, convert_there_and_back) {
    cpu executor(2);
    emulated lanes;
    for (node_case const& c : node_cases_to_run()) {
        check_conversion_of<double>(executor, c);
        if (is_for_lanes(c)) check_conversion_of<float>(lanes, c, 100'000);
    }
}

TEST(node_kinds, multiply) {
    cpu executor(2);
    emulated lanes;
    for (node_case const& c : node_cases_to_run()) {
        if (!has_products(c)) continue;
        check_products_of<double, one_shot>(executor, c);
        check_products_of<double, by_plan>(executor, c);
        if (!is_for_lanes(c)) continue;
        check_products_of<float, one_shot>(lanes, c);
        check_products_of<float, by_plan>(lanes, c);
    }
}

TEST(node_kinds, prune) {
    cpu executor(2);
    emulated lanes;
    for (node_case const& c : node_cases_to_run()) {
        check_prune_of<double>(executor, c);
        if (is_small(c)) check_prune_of<float>(lanes, c);
    }
}

TEST(node_kinds, add_up) {
    cpu executor(2);
    emulated lanes;
    auto const cases = node_cases_to_run();
    check_sums_of_kinds<double>(executor, cases, [](node_case const&) { return true; });
    check_sums_of_kinds<float>(lanes, cases, is_small);
}

}  // namespace
}  // namespace copse::tests
