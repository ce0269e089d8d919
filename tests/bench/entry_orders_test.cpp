// Leaves whose entries are in another order than the library's: the same matrix, in that order; all races with them.
#include "bench/entry_orders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/formats/generators.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <unordered_set>
#include <utility>
#include <vector>

namespace copse::bench {
namespace {

/// f(leaf) for each list of a matrix in host memory.
template <class T, class F>
void for_each_list(hisparse<T> const& a, F f) {
    detail::host_tree const tree(*a.content(), sizeof(T));
    std::unordered_set<std::uintptr_t> seen;
    auto const visit = [&](child_reference node) {
        if (node.is_leaf() && node.kind() == node_kind::sparse) f(tree.view().template sparse_leaf<T>({node, 0, 0}));
    };
    detail::for_each_node(tree, a.content()->root, seen, visit);
}

/// Rows and columns of all lists, as they are stored.
std::vector<std::pair<int, int>> places_in(hisparse<float> const& a) {
    std::vector<std::pair<int, int>> all;
    for_each_list(a, [&](auto const& leaf) {
        for (int i = 0; i < leaf.count; ++i) all.emplace_back(leaf.rows[i], leaf.columns[i]);
    });
    return all;
}

bool ascends(sparse_leaf_view<float> const& leaf, std::uint8_t const* first, std::uint8_t const* second) {
    for (int i = 1; i < leaf.count; ++i)
        if (std::pair(first[i - 1], second[i - 1]) >= std::pair(first[i], second[i])) return false;
    return true;
}

TEST(entry_orders, are_those_of_the_lists_and_the_matrix_is_the_same) {
    hisparse<float> const a(host_memory(), moved(generate<float>("stencil27:8"), 10, 1));
    auto const by_rows = with_entries(a, entry_order::by_rows, host_memory());
    auto const by_columns = with_entries(a, entry_order::by_columns, host_memory());
    auto const entries = to_csr(a);
    for (auto const& m : {by_rows, by_columns}) {
        auto const same = to_csr(m);
        EXPECT_EQ(same.row_offsets, entries.row_offsets);
        EXPECT_EQ(same.column_indices, entries.column_indices);
        EXPECT_EQ(same.values, entries.values);
    }
    EXPECT_EQ(places_in(with_entries(by_rows, entry_order::by_diagonals, host_memory())), places_in(a));
    EXPECT_NE(places_in(by_rows), places_in(a));
    int lists = 0;
    for_each_list(by_rows, [&](auto const& leaf) {
        ++lists;
        EXPECT_TRUE(ascends(leaf, leaf.rows, leaf.columns));
    });
    for_each_list(by_columns, [&](auto const& leaf) { EXPECT_TRUE(ascends(leaf, leaf.columns, leaf.rows)); });
    EXPECT_GT(lists, 0);
}

std::vector<std::string> formats_of(std::vector<tuning_race> const& races) {
    std::vector<std::string> names;
    for (auto const& race : races) names.push_back(race.format);
    return names;
}

TEST(entry_orders, race_in_products_and_sums) {
    measure::target here({.on = "cpu", .threads = 1});
    auto const races = race_orders("poisson3d:14", to_csr(generate<double>("poisson3d:14")), here, nullptr, 1);
    EXPECT_EQ(formats_of(races), (std::vector<std::string>{"entry order, A x", "entry order, A^T x",
                                                           "entry order, A + B", "entry order, A + B^T"}));
    for (auto const& race : races) {
        ASSERT_EQ(race.sizes.size(), 3u);
        ASSERT_NE(race.of_default(), nullptr);
        EXPECT_EQ(race.of_default()->size, "by diagonals");
        for (auto const& one : race.sizes) EXPECT_GT(one.seconds, 0) << race.format << ", " << one.size;
        EXPECT_GT(race.default_again, 0);
    }
    auto const wide = race_orders("lp", to_csr(generate<double>("lp:50,300")), here, nullptr, 1);
    EXPECT_EQ(formats_of(wide),
              (std::vector<std::string>{"entry order, A x", "entry order, A^T x", "entry order, A + B"}));
}

}  // namespace
}  // namespace copse::bench
