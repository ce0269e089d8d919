// Queues for pairs of nodes by kind and size (formats/node_bins.hpp), on a cpu and in lanes; their capacities.
#include <gtest/gtest.h>

#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/pair_bins_suite.hpp>

namespace copse::tests {
namespace {

TEST(pair_bins, are_those_of_sums_on_a_cpu) {
    cpu executor(2);
    EXPECT_EQ(check_queues_of_all(executor, pairs_for_all_queues()), (std::set{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}
TEST(pair_bins, are_those_of_sums_in_lanes) {
    emulated executor({.seed = 3});
    std::vector<pair_case> const all = pairs_for_all_queues();
    std::vector<pair_case> some;
    for (std::size_t i = 0; i < all.size(); i += 4) some.push_back(all[i]);
    check_queues_of_all(executor, some);
}

/// A queue has room for the pairs that its task can get, not for all.
TEST(pair_bins, bring_capacities_of_their_own) {
    using enum node_kind;
    auto const both = [](node_census const& a, node_census const& b) { return pair_bounds::of(pairs::both, a, b, 64); };
    node_census lists, streaks;
    for (int i = 0; i < 10; ++i) lists.count(child_reference(0, 0, 20, sparse, 0), 20);
    for (int i = 0; i < 4; ++i) streaks.count(child_reference(0, 0, 300, diagonal, 0), 300);
    streaks.count(child_reference(0, 0, 4, sparse, 1), 4);
    lists.count(child_reference(0, 0, 10, sparse, 1), 10);
    EXPECT_EQ((takes_leaf_pairs<0, 64, sparse>::visits(both(lists, lists))), 10);
    EXPECT_EQ((takes_leaf_pairs<0, 64, sparse>::visits(both(lists, streaks))), 0);
    EXPECT_EQ((takes_leaf_pairs<0, 64, sparse, diagonal>::visits(both(lists, streaks))), 0);  // 300 are too many
    EXPECT_EQ((takes_leaf_pairs<0, any_pair, sparse, diagonal>::visits(both(lists, streaks))), 4);
    EXPECT_EQ(takes_leaf_pairs<>::visits(both(lists, streaks)), 14);
    EXPECT_EQ(takes_inner_pairs_of<sparse>::visits(both(lists, streaks)), 1);
    EXPECT_EQ(takes_inner_pairs_of<dense>::visits(both(lists, streaks)), 0);
    auto const either = pair_bounds::of(pairs::either, lists, streaks, 64);
    EXPECT_EQ((takes_leaf_pairs<0, 64, sparse>::visits(either)), 10);
    EXPECT_EQ((takes_leaf_pairs<0, any_pair, sparse, diagonal>::visits(either)), 14);
    EXPECT_EQ(takes_inner_pairs_of<sparse>::visits(either), 2);
    node_census mixed = lists;
    mixed.count(child_reference(0, 0, 300, diagonal, 0), 300);
    EXPECT_EQ((takes_leaf_pairs<0, any_pair, sparse, diagonal>::visits(both(mixed, mixed))), 11);
    EXPECT_EQ((takes_leaf_pairs_with<diagonal, 0, any_pair, sparse>::visits(both(mixed, mixed))), 2);
    EXPECT_EQ((takes_leaf_pairs_with<diagonal, 0, any_pair, sparse>::visits(both(lists, mixed))), 1);
}

}  // namespace
}  // namespace copse::tests
