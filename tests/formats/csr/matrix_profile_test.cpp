// What the rule of `auto` asks of a matrix, worked by hand.
#include <gtest/gtest.h>

#include <copse/formats/generators.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/formats/suitable_format.hpp>
#include <copse/runtime/cpu.hpp>
#include <vector>

namespace copse::tests {
namespace {

csr<double> ones(std::int64_t rows, std::int64_t columns, std::vector<std::int64_t> offsets,
                 std::vector<std::int32_t> indices) {
    std::vector<double> values(indices.size(), 1);
    return {rows, columns, std::move(offsets), std::move(indices), std::move(values)};
}

TEST(matrix_profile, counts_entries_behind_others_on_their_diagonals) {
    // x . x .
    // . x . .     behind (0, 0); (1, 3) would be behind (0, 2)
    // . . . x     nothing at (1, 2)
    // . . x x     (3, 3) would be behind (2, 2), (3, 2) behind (2, 1)
    auto const p = profile_of(ones(4, 4, {0, 2, 3, 4, 6}, {0, 2, 1, 3, 2, 3}));
    EXPECT_DOUBLE_EQ(p.diagonal_fraction, 1.0 / 6);
    EXPECT_DOUBLE_EQ(p.constant_fraction, 1.0 / 6);
    EXPECT_EQ(p.entries_per_block, 6);
    EXPECT_EQ(p.rows.maximum, 2);
    EXPECT_EQ(p.columns.maximum, 2);
    EXPECT_EQ(p.columns.minimum, 1);
    // One slice: four rows as long as the longest, four columns likewise.
    EXPECT_DOUBLE_EQ(p.row_places, 8.0 / 6);
    EXPECT_DOUBLE_EQ(p.column_places, 8.0 / 6);
    EXPECT_EQ(p.product_bytes(), 6 * 12 + 5 * 4 + 8 * 8);
}

TEST(matrix_profile, values_repeat_where_their_bits_do) {
    auto a = ones(4, 4, {0, 1, 2, 3, 4}, {0, 1, 2, 3});
    EXPECT_EQ(profile_of(a).constant_fraction, 0.75);
    a.values = {0.0, -0.0, -0.0, 1};
    EXPECT_EQ(profile_of(a).constant_fraction, 0.25);
    EXPECT_EQ(profile_of(a).diagonal_fraction, 0.75);
}

TEST(matrix_profile, counts_blocks_of_128_rows_and_columns) {
    // Columns 0, 127, 128 and 300 of row 0, 5 of row 127, 5 of row 128, which is another row of blocks.
    std::vector<std::int64_t> offsets(130, 4);
    offsets[0] = 0;
    offsets[128] = 5;
    offsets[129] = 6;
    auto const p = profile_of(ones(129, 301, offsets, {0, 127, 128, 300, 5, 5}));
    EXPECT_DOUBLE_EQ(p.entries_per_block, 6.0 / 4);
}

TEST(matrix_profile, places_are_those_of_sellp) {
    cpu executor(2);
    // Rows and columns fill slices; what the last slice lacks of rows the profile leaves out.
    for (char const* const name : {"rmat:12,8", "lp:384,9600", "stencil27:8"}) {
        auto const a = to_csr(generate<double>(name));
        auto const p = profile_of(a), of_transpose = profile_of(transpose(a));
        auto const places = [&](std::int64_t sorting_window) {
            sellp<double> const s(executor, a, {.sorting_window = sorting_window, .most_padding_bytes = 1 << 30});
            return 1 + static_cast<double>(s.padding_bytes()) / 12 / static_cast<double>(a.entry_count());
        };
        EXPECT_DOUBLE_EQ(p.row_places, places(1)) << name;
        EXPECT_DOUBLE_EQ(p.sorted_row_places, places(1024)) << name;
        auto const turned = transposed(of_transpose);
        EXPECT_EQ(turned.column_places, p.column_places) << name;
        EXPECT_EQ(turned.row_places, p.row_places) << name;
        EXPECT_EQ(turned.sorted_column_places, p.sorted_column_places) << name;
        EXPECT_EQ(turned.sorted_row_places, p.sorted_row_places) << name;
        EXPECT_EQ(turned.entries_per_block, p.entries_per_block) << name;
        EXPECT_EQ(turned.diagonal_fraction, p.diagonal_fraction) << name;
        EXPECT_EQ(turned.rows.maximum, p.rows.maximum) << name;
        EXPECT_EQ(turned.columns.maximum, p.columns.maximum) << name;
        EXPECT_EQ(turned.row_count, a.row_count) << name;
    }
}

TEST(matrix_profile, of_few_entries_takes_each_to_stand_alone) {
    coo<float> const few(2'000'000'000, 1'900'000'000, {0, 7, 7}, {3, 5, 6}, {1, 2, 3});
    auto const p = profile_of(few);
    EXPECT_EQ(p.entry_count, 3);
    EXPECT_EQ(p.rows.maximum, 2);
    EXPECT_EQ(p.entries_per_block, 1);
    EXPECT_GE(p.row_places, 4);
    EXPECT_GE(p.sorted_row_places, 4);
    EXPECT_EQ(p.value_bytes, sizeof(float));
    // Compressed rows of as few: no memory for columns.
    auto const wide = profile_of(ones(2, 2'000'000'000, {0, 1, 3}, {1'999'999'999, 0, 5}));
    EXPECT_EQ(wide.columns.maximum, 1);
    EXPECT_EQ(wide.entries_per_block, 1.5);
}

TEST(matrix_profile, of_nothing) {
    for (auto const& empty : {csr<double>(), csr<double>(3, 4, {0, 0, 0, 0})}) {
        auto const p = profile_of(empty);
        EXPECT_EQ(p.entry_count, 0);
        EXPECT_EQ(p.row_places, 1);
        EXPECT_EQ(p.column_places, 1);
        EXPECT_EQ(p.sorted_row_places, 1);
        EXPECT_EQ(p.sorted_column_places, 1);
        EXPECT_EQ(p.diagonal_fraction, 0);
    }
}

}  // namespace
}  // namespace copse::tests
