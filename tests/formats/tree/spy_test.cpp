// The picture of a matrix as data: boxes and cells worked by hand.
#include <gtest/gtest.h>

#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/statistics.hpp>
#include <formats/distant_memory.hpp>
#include <formats/edits/edit_tools.hpp>
#include <limits>
#include <numeric>
#include <runtime/message_of.hpp>

namespace copse::tests {
namespace {

/// 150 x 192, d = 64: a full block, the diagonal of another, 10 entries in a third, which is cut off at row 150.
coo<double> leaves_of_three_kinds() {
    return matrix_where(150, 192, [](auto i, auto j) {
        return (i < 64 && j < 64) || (i < 128 && i == j) || (i == 128 && j >= 128 && j < 148 && j % 2 == 0);
    });
}

std::int64_t sum_of(spy_picture const& p) {
    std::int64_t sum = 0;
    for (auto const& cells : p.entries_by_kind) sum = std::accumulate(cells.begin(), cells.end(), sum);
    return sum;
}

TEST(spy, boxes_of_small_matrices) {
    hisparse<double> const a(host_memory(), leaves_of_three_kinds(), {.node_dimension = 64});
    spy_picture const p = spy(a);
    EXPECT_EQ(p.node_dimension, 64);
    EXPECT_EQ(p.cell, 1);
    std::vector<spy_box> const expected{{0, 0, 150, 192, 1, node_kind::sparse, 3, false},
                                        {0, 0, 64, 64, 0, node_kind::dense, 4096, true},
                                        {64, 64, 64, 64, 0, node_kind::diagonal, 64, true},
                                        {128, 128, 22, 64, 0, node_kind::sparse, 10, true}};
    EXPECT_EQ(p.boxes, expected);
    EXPECT_EQ(p.first_listed_level, 0);
    EXPECT_EQ(p.bytes_of(node_kind::dense), 4096 * 8);
    EXPECT_EQ(p.bytes_of(node_kind::sparse), p.nodes.of(0, node_kind::sparse).bytes + 48);
    EXPECT_EQ(p.nodes.bytes(), a.bytes());
}

TEST(spy, cells_are_the_pattern_where_there_are_enough) {
    hisparse<double> const a(host_memory(), leaves_of_three_kinds(), {.node_dimension = 64});
    spy_picture const p = spy(a);
    ASSERT_EQ(p.grid_rows, 150);
    ASSERT_EQ(p.grid_columns, 192);
    coo<double> const entries = to_coo(a);
    std::vector<int> pattern(150 * 192, 0);
    for (std::size_t k = 0; k < entries.values.size(); ++k) pattern[p.place(entries.rows[k], entries.columns[k])] = 1;
    for (int row = 0; row < 150; ++row)
        for (int column = 0; column < 192; ++column)
            ASSERT_EQ(p.entries_in(row, column), pattern[p.place(row, column)]) << row << ' ' << column;
    EXPECT_EQ(p.entries_by_kind[static_cast<std::size_t>(node_kind::diagonal)][p.place(70, 70)], 1);
}

TEST(spy, a_cell_counts_its_entries) {
    hisparse<double> const a(host_memory(), leaves_of_three_kinds(), {.node_dimension = 64});
    spy_picture const p = spy(a, {.most_cells = 6});
    EXPECT_EQ(p.cell, 32);
    EXPECT_EQ(p.grid_rows, 5);
    EXPECT_EQ(p.grid_columns, 6);
    EXPECT_EQ(p.entries_in(0, 0), 1024);
    EXPECT_EQ(p.entries_in(0, 2), 0);
    EXPECT_EQ(p.entries_in(3, 3), 32);
    EXPECT_EQ(p.entries_in(4, 4), 10);
    EXPECT_EQ(sum_of(p), 4096 + 64 + 10);
    // A leaf is two cells wide, the root 64 * 64 elements.
    EXPECT_EQ(p.boxes.size(), 1u);
    EXPECT_EQ(p.first_listed_level, 1);
    EXPECT_EQ(spy(a, {.most_cells = 6, .least_cells = 2}).boxes.size(), 4u);
}

TEST(spy, of_the_transpose) {
    hisparse<double> const a(host_memory(), leaves_of_three_kinds(), {.node_dimension = 64});
    spy_picture const p = spy(a), t = spy(transposed(a));
    EXPECT_EQ(t.row_count, 192);
    EXPECT_EQ(t.column_count, 150);
    ASSERT_EQ(t.boxes.size(), p.boxes.size());
    for (std::size_t i = 0; i < p.boxes.size(); ++i) {
        spy_box const& b = p.boxes[i];
        EXPECT_EQ(t.boxes[i], (spy_box{b.column, b.row, b.columns, b.rows, b.level, b.kind, b.entries, b.is_leaf}));
    }
    for (int row = 0; row < 150; ++row)
        for (int column = 0; column < 192; ++column) ASSERT_EQ(t.entries_in(column, row), p.entries_in(row, column));
}

TEST(spy, a_wide_leaf_is_one_box) {
    coo<float> const entries{200, 300, {0, 1, 0, 1, 64, 65}, {0, 1, 64, 65, 64, 299}, {1, 2, 3, 4, 5, 6}};
    hisparse<float> const a(host_memory(), entries, {.node_dimension = 64});
    spy_picture const p = spy(a);
    ASSERT_EQ(p.boxes.size(), 1u);
    EXPECT_EQ(p.boxes[0], (spy_box{0, 0, 200, 300, 1, node_kind::wide, 16, true}));
    EXPECT_EQ(p.entries_in(65, 299), 1);
    EXPECT_EQ(sum_of(p), 6);
    EXPECT_EQ(sum_of(spy(a, {.most_cells = 1})), 6);  // all in one cell: the exact number
}

TEST(spy, a_shared_node_is_shown_at_each_place) {
    hisparse<double> const part(host_memory(), leaves_of_three_kinds(), {.node_dimension = 64});
    hisparse<double> const four = mosaic(part);
    spy_picture const p = spy(four, {.most_cells = 1024});
    EXPECT_EQ(sum_of(p), four.entry_count());
    EXPECT_EQ(p.nodes.of(0, node_kind::dense).nodes, 1);
    std::int64_t dense = 0;
    for (spy_box const& box : p.boxes) dense += box.kind == node_kind::dense ? 1 : 0;
    EXPECT_EQ(dense, four.entry_count() / part.entry_count());
}

TEST(spy, cells_sum_to_the_entries_over_the_battery) {
    for (battery_case const& c : small_battery())
        for (int const most_cells : {1, 7, 480}) {
            SCOPED_TRACE(c.name);
            hisparse<double> const a(std::make_shared<distant_memory>(), c.matrix, {.node_dimension = 64});
            spy_picture const p = spy(a, {.most_cells = most_cells});
            EXPECT_EQ(sum_of(p), a.entry_count());
            EXPECT_LE(std::max(p.grid_rows, p.grid_columns), most_cells);
            EXPECT_GE(p.cell * p.grid_rows, a.row_count());
            for (spy_box const& box : p.boxes) {
                EXPECT_LE(box.row + box.rows, a.row_count());
                EXPECT_LE(box.column + box.columns, a.column_count());
            }
        }
}

TEST(spy, of_an_empty_matrix) {
    spy_picture const p = spy(hisparse<double>(host_memory(), coo<double>{3, 5, {}, {}, {}}));
    EXPECT_EQ(p.grid_rows, 3);
    EXPECT_EQ(p.grid_columns, 5);
    EXPECT_EQ(sum_of(p), 0);
    EXPECT_TRUE(p.boxes.empty());
    spy_picture const none = spy(hisparse<double>(host_memory(), coo<double>{0, 0, {}, {}, {}}));
    EXPECT_EQ(none.grid_rows, 0);
    EXPECT_EQ(none.cell, 1);
}

TEST(spy, refuses_what_is_no_grid) {
    hisparse<double> const a(host_memory(), leaves_of_three_kinds());
    EXPECT_EQ(message_of<argument_error>([&] { (void)spy(a, {.most_cells = 0}); }),
              "spy: most_cells is 0; it must be 1 to 4096");
    EXPECT_THROW((void)spy(a, {.most_cells = 4097}), argument_error);
    EXPECT_THROW((void)spy(a, {.least_cells = -1}), argument_error);
    EXPECT_THROW((void)spy(a, {.least_cells = std::numeric_limits<double>::quiet_NaN()}), argument_error);
}

}  // namespace
}  // namespace copse::tests
