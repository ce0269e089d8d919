// By which kind of addition the sums of a tile go to memory.
#include <gtest/gtest.h>

#include <copse/runtime/scheduler/simt_tile.hpp>
#include <cstdint>

namespace copse::detail {
namespace {

TEST(tile_output, is_in_bulk_where_half_of_whole_tiles_is_touched) {
    EXPECT_EQ(choose_tile_output<double>(64, 128, 4096), tile_output::in_bulk);
    EXPECT_EQ(choose_tile_output<float>(128, 128, 4096), tile_output::in_bulk);
    EXPECT_EQ(choose_tile_output<double>(63, 128, 4096), tile_output::by_element);
    EXPECT_EQ(choose_tile_output<float>(63, 128, 4096), tile_output::by_vector);
    EXPECT_EQ(choose_tile_output<double>(0, 0, 4096), tile_output::by_element);
}

TEST(tile_output, is_not_in_bulk_beyond_multiples_of_sixteen_bytes) {
    EXPECT_EQ(choose_tile_output<double>(127, 127, 4096), tile_output::by_element);
    EXPECT_EQ(choose_tile_output<double>(126, 126, 4096), tile_output::in_bulk);
    EXPECT_EQ(choose_tile_output<float>(126, 126, 4096), tile_output::by_vector);
    EXPECT_EQ(choose_tile_output<float>(124, 124, 4096), tile_output::in_bulk);
}

TEST(tile_output, is_by_element_where_memory_is_not_aligned) {
    EXPECT_EQ(choose_tile_output<double>(128, 128, 4096 + 8), tile_output::by_element);
    EXPECT_EQ(choose_tile_output<float>(128, 128, 4096 + 8), tile_output::by_element);
    EXPECT_EQ(choose_tile_output<float>(128, 128, 4096 + 4), tile_output::by_element);
}

TEST(tile_output, is_by_element_for_whole_numbers) {
    EXPECT_EQ(choose_tile_output<std::int32_t>(128, 128, 4096), tile_output::by_element);
    EXPECT_EQ(choose_tile_output<std::int64_t>(128, 128, 4096), tile_output::by_element);
}

TEST(tile_output, has_all_touched_elements_of_four_in_the_smallest_part) {
    for (unsigned touched = 0; touched < 16; ++touched) {
        vector_part const part = part_with(touched);
        auto const covered = static_cast<unsigned>(((1 << part.count) - 1) << part.first);
        EXPECT_EQ(touched & ~covered, 0u) << touched;
        ASSERT_TRUE(part.count == 0 || part.count == 1 || part.count == 2 || part.count == 4) << touched;
        if (part.count > 0) {
            EXPECT_EQ(part.first % part.count, 0) << touched;
        }
        // Half as many, at either place, would leave one out.
        int const smaller = part.count == 4 ? 2 : part.count == 2 ? 1 : 0;
        for (int first = 0; smaller > 0 && first < 4; first += smaller)
            EXPECT_NE(touched & ~static_cast<unsigned>(((1 << smaller) - 1) << first), 0u) << touched;
        EXPECT_EQ(part.count == 0, touched == 0) << touched;
    }
}

}  // namespace
}  // namespace copse::detail
