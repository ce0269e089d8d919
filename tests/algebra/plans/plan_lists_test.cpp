// How a plan groups leaves by the rows that they add to.
#include <gtest/gtest.h>

#include <copse/algebra/plans/plan_lists.hpp>
#include <vector>

namespace copse::detail {
namespace {

constexpr int log2_of_64 = 6;

/// A leaf of so many entries at a block; `place` is where it is stored.
plan_leaf leaf(std::uint32_t row_block, std::uint32_t column_block, std::int32_t entries, std::uint64_t place) {
    return {{child_reference(0, 16 * place, entries, node_kind::sparse, 0), row_block * 64, column_block * 64},
            nullptr,
            entries};
}

std::vector<std::uint64_t> places(plan_lists const& lists, std::int64_t part) {
    std::vector<std::uint64_t> result;
    for (std::int64_t i = lists.parts[static_cast<std::size_t>(part)].first_item;
         i < lists.parts[static_cast<std::size_t>(part) + 1].first_item; ++i)
        result.push_back(lists.items[static_cast<std::size_t>(i)].leaf.reference.offset() / 16);
    return result;
}

using list = std::vector<std::uint64_t>;

TEST(plan_lists, joins_small_blocks_up_to_rows_and_entries) {
    // Blocks 0 .. 4 with 10, 10, 0, 95, 10 entries: 0, 1, 2 make a part; 3 has too many to join them, 4 to join 3.
    auto const lists = arrange({leaf(0, 0, 10, 1), leaf(1, 0, 10, 2), leaf(3, 0, 95, 3), leaf(4, 0, 10, 4)},
                               {256, 100, 1000}, 300, log2_of_64);
    ASSERT_EQ(lists.part_count(), 3);
    EXPECT_EQ(lists.parts[0].rows, 192);
    EXPECT_EQ(lists.parts[1].first_row, 192u);
    EXPECT_EQ(lists.parts[1].rows, 64);
    EXPECT_EQ(lists.parts[2].rows, 44);  // the matrix ends there
    EXPECT_EQ(places(lists, 0), (list{1, 2}));
    EXPECT_EQ(lists.work_before,
              (std::vector<std::int64_t>{0, 20 + 192, 20 + 192 + 95 + 64, 20 + 192 + 95 + 64 + 10 + 44}));
    auto const narrow = arrange({leaf(0, 0, 10, 1), leaf(1, 0, 10, 2)}, {64, 100, 1000}, 300, log2_of_64);
    EXPECT_EQ(narrow.part_count(), 5);  // one for each block, without entries too: y is written there as well
}

TEST(plan_lists, reads_the_leaves_of_a_part_as_they_are_stored) {
    auto const lists = arrange({leaf(1, 0, 5, 4), leaf(0, 1, 5, 3), leaf(0, 0, 5, 9), leaf(1, 1, 5, 1)},
                               {128, 100, 1000}, 128, log2_of_64);
    ASSERT_EQ(lists.part_count(), 1);
    EXPECT_EQ(places(lists, 0), (list{1, 3, 4, 9}));
}

TEST(plan_lists, puts_small_leaves_first_where_the_shape_has_them_so) {
    std::vector<plan_leaf> const leaves{leaf(0, 0, 33, 1), leaf(0, 1, 5, 2), leaf(0, 2, 4, 3), leaf(1, 0, 32, 4),
                                        leaf(1, 1, 1, 5),  leaf(2, 0, 9, 6), leaf(2, 1, 90, 7)};
    plan_leaf dense = leaf(1, 2, 3, 8);
    dense.leaf.reference = child_reference(0, 16 * 8, 3, node_kind::diagonal, 0);
    auto all = leaves;
    all.push_back(dense);
    auto const lists = arrange(all, {128, 1000, 1000, true}, 192, log2_of_64);
    ASSERT_EQ(lists.part_count(), 2);
    EXPECT_EQ(places(lists, 0), (list{3, 5, 2, 4, 1, 8}));
    EXPECT_EQ(lists.parts[0].small[0], 2);
    EXPECT_EQ(lists.parts[0].small[1], 2);
    EXPECT_EQ(places(lists, 1), (list{6, 7}));
    EXPECT_EQ(lists.parts[1].small[0], 0);
    EXPECT_EQ(lists.parts[1].small[1], 1);
    auto const as_stored = arrange(all, {128, 1000, 1000}, 192, log2_of_64);
    EXPECT_EQ(places(as_stored, 0), (list{1, 2, 3, 4, 5, 8}));
    EXPECT_EQ(as_stored.parts[0].small[0], 0);
}

/// Twins come equally late in both parts, also among leaves of their size.
TEST(plan_lists, puts_leaves_near_the_diagonal_first_where_the_shape_has_them_so) {
    std::vector<plan_leaf> const leaves{leaf(4, 0, 9, 1), leaf(4, 3, 40, 2), leaf(4, 4, 40, 3), leaf(4, 6, 40, 4),
                                        leaf(4, 5, 9, 5), leaf(4, 4, 3, 6),  leaf(5, 5, 40, 7), leaf(5, 4, 9, 5)};
    plan_shape shape{64, 1000, 1000};
    shape.by_distance = true;
    EXPECT_EQ(places(arrange(leaves, shape, 384, log2_of_64), 4), (list{3, 6, 2, 5, 4, 1}));
    shape.most_rows = 128;
    EXPECT_EQ(places(arrange(leaves, shape, 384, log2_of_64), 2), (list{3, 6, 7, 2, 5, 5, 4, 1}));
    shape.small_first = true;
    EXPECT_EQ(places(arrange(leaves, shape, 384, log2_of_64), 2), (list{6, 5, 5, 1, 3, 7, 2, 4}));
}

TEST(plan_lists, tells_small_blocks_of_wide_leaves_apart) {
    // Rows of a wide leaf: 3 entries in the first block of 64, then 30 from entry 3 on, 32 from 33 on, 29 from 65 on.
    std::vector<std::uint16_t> rows;
    for (auto [block, count] : {std::pair{0, 3}, std::pair{1, 30}, std::pair{2, 32}, std::pair{3, 29}})
        rows.insert(rows.end(), static_cast<std::size_t>(count), static_cast<std::uint16_t>(64 * block));
    plan_leaf wide = leaf(0, 0, 94, 1);
    wide.leaf.reference = child_reference(0, 16, 94, node_kind::wide, 1);
    wide.rows = rows.data();
    auto const lists = arrange({wide}, {64, 1000, 1000, true}, 256, log2_of_64);
    ASSERT_EQ(lists.part_count(), 4);
    using sizes = std::array<std::int32_t, small_item_sizes>;
    EXPECT_EQ(lists.parts[0].small, (sizes{0, 0, 1, 0}));
    EXPECT_EQ(lists.parts[1].small, (sizes{0, 0, 0, 0}));  // loaded from entry 0 on it is too long for 8 lanes
    EXPECT_EQ(lists.parts[2].small, (sizes{0, 0, 0, 0}));
    EXPECT_EQ(lists.parts[3].small, (sizes{0, 0, 0, 1}));
}

// One leaf at two places, in two blocks that a part joins: an item for each place, which has all of its entries.
TEST(plan_lists, keeps_the_pieces_of_a_shared_wide_leaf_together) {
    std::vector<std::uint16_t> const rows{5, 0, 70, 100};
    child_reference const shared(0, 16, 4, node_kind::wide, 1);
    auto const lists = arrange({{{shared, 0, 4096}, rows.data(), 4}, {{shared, 0, 0}, rows.data(), 4}},
                               {128, 100, 1000}, 128, log2_of_64);
    ASSERT_EQ(lists.part_count(), 1);
    ASSERT_EQ(lists.items.size(), 2u);
    EXPECT_EQ(lists.items[0].leaf.column, 0u);
    EXPECT_EQ(lists.items[1].leaf.column, 4096u);
    for (listed_leaf const& item : lists.items) EXPECT_EQ(std::pair(item.first, item.last), std::pair(0, 4));
}

TEST(plan_lists, has_small_leaves_first_in_each_share_of_a_split) {
    auto const lists =
        arrange({leaf(0, 0, 60, 1), leaf(0, 1, 4, 2), leaf(0, 2, 30, 3), leaf(0, 3, 60, 4), leaf(0, 4, 3, 5)},
                {64, 50, 90, true}, 64, log2_of_64);
    ASSERT_EQ(lists.part_count(), 3);
    EXPECT_EQ(places(lists, 0), (list{2, 5, 3}));
    EXPECT_EQ(lists.parts[0].small[0], 2);
    EXPECT_EQ(lists.parts[0].small[1], 1);
    EXPECT_EQ(places(lists, 1), (list{1}));
    EXPECT_EQ(lists.parts[1].small[1], 0);
}

TEST(plan_lists, splits_a_block_with_many_entries) {
    auto const lists =
        arrange({leaf(0, 0, 5, 1), leaf(1, 0, 60, 2), leaf(1, 1, 60, 3), leaf(1, 2, 30, 4), leaf(2, 0, 5, 5)},
                {256, 50, 100}, 192, log2_of_64);
    ASSERT_EQ(lists.part_count(), 4);
    ASSERT_EQ(lists.splits.size(), 1u);
    EXPECT_EQ(places(lists, 1), (list{2}));
    EXPECT_EQ(places(lists, 2), (list{3, 4}));
    EXPECT_EQ(lists.parts[0].split, -1);
    EXPECT_EQ(lists.parts[1].split, 0);
    EXPECT_EQ(lists.parts[2].slot, 1);
    EXPECT_EQ(lists.splits[0].first_row, 64u);
    EXPECT_EQ(lists.splits[0].rows, 64);
    EXPECT_EQ(lists.splits[0].slots, 2);
}

TEST(plan_lists, cuts_a_wide_leaf_where_parts_begin) {
    // Blocks 64 .. 67 of the matrix, with 2, 1, 3, 2 entries; parts of two blocks.
    std::vector<std::uint16_t> const rows{5, 0, 70, 190, 128, 130, 192, 255};
    plan_leaf const wide{{child_reference(0, 16, 8, node_kind::wide, 1), 4096, 0}, rows.data(), 8};
    auto const lists = arrange({wide, leaf(65, 0, 7, 9)}, {128, 100, 1000}, 4096 + 256, log2_of_64);
    ASSERT_EQ(lists.part_count(), 34);
    ASSERT_EQ(lists.items.size(), 3u);
    EXPECT_EQ(lists.items[0].leaf.row, 4096u);
    EXPECT_EQ(lists.items[0].first, 0);
    EXPECT_EQ(lists.items[0].last, 3);
    EXPECT_EQ(places(lists, 32), (list{1, 9}));
    EXPECT_EQ(lists.items[2].leaf.row, 4096u + 128);
    EXPECT_EQ(lists.items[2].first, 3);
    EXPECT_EQ(lists.items[2].last, 8);
    EXPECT_EQ(lists.work_before[33] - lists.work_before[32], 128 + 10);
}

void check_rearranged(plan_shape const& shape) {
    // The joins stay: with these entries they are those of a new arrangement.
    std::vector<std::uint16_t> const rows{5, 0, 70, 190, 128, 130, 192, 255}, fewer{5, 190};
    plan_leaf const wide{{child_reference(0, 16, 8, node_kind::wide, 1), 0, 64}, rows.data(), 8};
    plan_leaf const narrower{{child_reference(1, 16, 2, node_kind::wide, 1), 0, 64}, fewer.data(), 2};
    std::vector<plan_leaf> const before{leaf(0, 0, 5, 9), leaf(1, 0, 5, 8), leaf(4, 0, 30, 7), leaf(4, 1, 30, 6), wide};
    std::vector<plan_leaf> const after{leaf(0, 0, 5, 9), leaf(1, 0, 6, 30), leaf(4, 0, 30, 7), narrower,
                                       leaf(5, 5, 1, 31)};
    auto const updated =
        rearrange(arrange(before, shape, 400, log2_of_64), {leaf(1, 0, 5, 8).leaf, leaf(4, 1, 30, 6).leaf, wide.leaf},
                  {leaf(1, 0, 6, 30), narrower, leaf(5, 5, 1, 31)}, shape, log2_of_64);
    auto const anew = arrange(after, shape, 400, log2_of_64);
    EXPECT_EQ(updated.part_count(), anew.part_count());
    EXPECT_EQ(updated.slots, anew.slots);
    EXPECT_EQ(updated.work_before, anew.work_before);
    ASSERT_EQ(updated.items.size(), anew.items.size());
    for (std::size_t i = 0; i < anew.items.size(); ++i) {
        EXPECT_TRUE(updated.items[i].leaf.reference == anew.items[i].leaf.reference) << i;
        EXPECT_EQ(updated.items[i].leaf.row, anew.items[i].leaf.row) << i;
        EXPECT_EQ(updated.items[i].last, anew.items[i].last) << i;
    }
    for (std::size_t p = 0; p < anew.parts.size(); ++p) {
        EXPECT_EQ(updated.parts[p].small, anew.parts[p].small) << p;
    }
}

TEST(plan_lists, rearranges_as_if_arranged_anew) {
    check_rearranged({128, 1000, 40});
    check_rearranged({128, 1000, 40, true});
    check_rearranged({.most_rows = 128, .join_entries = 1000, .most_entries = 40, .by_distance = true});
}

TEST(plan_lists, has_no_parts_without_rows) {
    EXPECT_EQ(arrange({}, {256, 50, 100}, 0, log2_of_64).part_count(), 0);
    EXPECT_EQ(arrange({}, {256, 50, 100}, 1, log2_of_64).part_count(), 1);
}

}  // namespace
}  // namespace copse::detail
