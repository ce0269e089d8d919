// How many blocks share the items of a kernel.
#include <gtest/gtest.h>

#include <copse/algebra/plans/plan_grid.hpp>

namespace copse::detail {
namespace {

TEST(plan_grid, resident_is_what_the_device_has_room_for) {
    EXPECT_EQ(blocks_of(plan_grid::resident, 100'000, 4, 1056), 1056);
    EXPECT_EQ(blocks_of(plan_grid::resident, 4 * 1056 + 1, 4, 1056), 1056);
}

TEST(plan_grid, has_no_blocks_without_items) {
    for (plan_grid grid : {plan_grid::resident, plan_grid::whole}) {
        EXPECT_EQ(blocks_of(grid, 0, 4, 1056), 0);
        EXPECT_EQ(blocks_of(grid, 1, 4, 1056), 1);
        EXPECT_EQ(blocks_of(grid, 4, 4, 1056), 1);
        EXPECT_EQ(blocks_of(grid, 5, 4, 1056), 2);
    }
}

TEST(plan_grid, whole_has_a_worker_for_each_item_as_far_as_grids_go) {
    EXPECT_EQ(blocks_of(plan_grid::whole, 100'000, 4, 1056), 25'000);
    EXPECT_EQ(blocks_of(plan_grid::whole, std::int64_t{1} << 40, 1, 1056), std::int64_t{1} << 30);
}

}  // namespace
}  // namespace copse::detail
