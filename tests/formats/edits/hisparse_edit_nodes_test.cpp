// Edits of every kind of node against a map of entries, at every level.
#include <copse/formats/hisparse_edit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <formats/edits/edit_tools.hpp>
#include <some_cases.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

// Every kind of node at each level where it occurs: what is on the way to the edited position is part of the case.
struct node_case {
    std::string name;
    coo<double> entries;
    std::uint32_t row, column;  // an entry
    std::uint32_t free_row, free_column;
    std::vector<path_node> path;
    int node_dimension = 64;
};

std::vector<node_case> node_cases() {
    using enum node_kind;
    auto const full = [](auto, auto) { return true; };
    // As few blocks as make a dense node, with as few entries as make no wide leaf.
    auto const in_many_blocks = [](std::int64_t i) {
        return i / 64 < 58 && i % 64 < 51 && i % 64 % 3 == 0 ? every(i / 64, 64, 58 * 64) : std::vector<std::int64_t>();
    };
    coo<double> far = scattered(300, 300, 3000, 4);  // three levels above the leaves
    far.row_count = far.column_count = 300000;
    far.rows.push_back(299999);
    far.columns.push_back(5);
    far.values.push_back(1);
    return {
        {"sparse leaf as root",
         matrix_where(60, 50, [](auto i, auto j) { return i == 2 * j; }),
         4,
         2,
         4,
         3,
         {{0, sparse}}},
        {"diagonal leaf as root",
         matrix_where(64, 64, [](auto i, auto j) { return i == j; }),
         9,
         9,
         9,
         8,
         {{0, diagonal}}},
        {"large diagonal leaf",
         matrix_where(64, 64, [](auto i, auto j) { return (i + 64 - j) % 64 < 9 || j == 40; }),
         9,
         40,
         9,
         20,
         {{0, diagonal}}},
        {"dense leaf as root",
         matrix_where(64, 64, [](auto i, auto j) { return i % 6 != 5 && (i + j) % 59 != 0; }),
         1,
         1,
         5,
         5,
         {{0, dense}}},
        {"full leaf", matrix_where(64, 70, full), 63, 63, 0, 0, {{1, sparse}, {0, dense}}},
        {"leaf of 700",
         matrix_where(100, 100, [](auto i, auto j) { return i % 6 != 5 && i < 42 && j < 20; }),
         12,
         13,
         12,
         30,
         {{1, sparse}, {0, sparse}}},
        {"wide leaf as root", scattered(4000, 3900, 9000, 8), 0, 0, 0, 0, {{1, wide}}},
        {"dense inner node", matrix_of_rows(4096, 4096, in_many_blocks), 67, 1, 68, 1, {{1, dense}, {0, sparse}}},
        {"wide leaf below an inner node", scattered(20000, 17000, 20000, 7), 0, 0, 0, 0, {{2, sparse}, {1, wide}}},
        {"leaf below three inner nodes", far, 0, 0, 0, 0, {{3, sparse}, {2, sparse}, {1, sparse}, {0, sparse}}},
        {"wide leaf below two inner nodes",
         scattered(300000, 300000, 100000, 9),
         0,
         0,
         0,
         0,
         {{3, sparse}, {2, dense}, {1, wide}}},
    };
}

/// Where the case leaves it open: its first entry, and the first position after it that has none.
void choose_positions(node_case& c) {
    if (c.row + c.column + c.free_row + c.free_column > 0 && c.free_row + c.free_column > 0) return;
    entry_map<double> const map = map_of(c.entries);
    if (c.row + c.column == 0) {
        c.row = static_cast<std::uint32_t>(map.begin()->first.first);
        c.column = static_cast<std::uint32_t>(map.begin()->first.second);
    }
    c.free_row = c.row;
    c.free_column = c.column;
    while (map.contains({c.free_row, c.free_column}) && c.free_column + 1 < c.entries.column_count) ++c.free_column;
}

/// Every kind of edit, of the matrix as stored or of its transpose by turns, which float has the other way round.
template <class T>
void check_every_kind(std::vector<node_case> const& cases) {
    unsigned turn = sizeof(T) == 4 ? 1 : 0;
    for (node_case c : cases) {
        SCOPED_TRACE(c.name);
        choose_positions(c);
        hisparse<T> const a = matrix_of<T>(c.entries, c.node_dimension);
        EXPECT_EQ(path_to(a, c.row, c.column), c.path);
        for (int change = 0; change < 5; ++change, ++turn) {
            SCOPED_TRACE(change);
            bool const flip = turn % 2 == 1;
            std::int64_t const i = flip ? c.column : c.row, j = flip ? c.row : c.column;
            std::int64_t const free_i = flip ? c.free_column : c.free_row, free_j = flip ? c.free_row : c.free_column;
            edits<T> const changes[] = {edits<T>().set(i, j, 1000), edits<T>().add(i, j, 1000), edits<T>().erase(i, j),
                                        edits<T>().set(free_i, free_j, 1000),
                                        edits<T>().add(free_i, free_j, 16).erase(i, j)};
            checked_edit(flip ? a.transposed().scaled(T(0.5)) : a, changes[change]);
        }
    }
}
TEST(hisparse_edit_nodes, of_every_kind_at_every_level) {
    check_every_kind<double>(node_cases());
    check_every_kind<float>(node_cases());
}

constexpr std::int64_t largest = std::int64_t{1} << 31;

/// n x n, with an entry in the first row and column of so many blocks of width x width, row by row.
coo<double> one_in_each(std::int64_t n, std::int64_t width, std::int64_t blocks) {
    coo<double> a = empty_matrix(n, n);
    std::int64_t const in_row = std::min<std::int64_t>(n / width, 256);
    for (std::int64_t k = 0; k < blocks; ++k) {
        a.rows.push_back(static_cast<std::int32_t>(k / in_row * width));
        a.columns.push_back(static_cast<std::int32_t>(k % in_row * width));
        a.values.push_back(1);
    }
    return a;
}
/// The entries of `a`, so many rows and columns further on in a matrix of n x n.
coo<double> moved_into(std::int64_t n, coo<double> a, std::int32_t rows, std::int32_t columns) {
    a.row_count = a.column_count = n;
    for (std::int32_t& row : a.rows) row += rows;
    for (std::int32_t& column : a.columns) column += columns;
    return a;
}

// Up to 2^31 rows and columns. Dense nodes have as few children as makes them dense, with little below each: the erased
// entry is all of its child's, which makes them sparse, and the new one is in a child of its own.
std::vector<node_case> far_node_cases() {
    using enum node_kind;
    std::uint32_t constexpr last = largest - 1;
    std::int64_t const d1 = 64, d3 = d1 * d1 * d1, d4 = d3 * d1, d5 = d4 * d1;
    return {
        {"leaf below five inner nodes",
         moved_into(largest, matrix_where(64, 64, [](auto i, auto j) { return i == 2 * j || i == 60; }), last - 63, 64),
         last - 63,
         64,
         0,
         last,
         {{5, sparse}, {4, sparse}, {3, sparse}, {2, sparse}, {1, sparse}, {0, sparse}}},
        {"wide leaf below four inner nodes",
         moved_into(largest, scattered(4000, 3900, 3000, 8), 0, last - 4095),
         0,
         0,
         0,
         0,
         {{5, sparse}, {4, sparse}, {3, sparse}, {2, sparse}, {1, wide}}},
        {"dense node of level 4",
         one_in_each(d5, d4, 3277),
         0,
         static_cast<std::uint32_t>(5 * d4),
         static_cast<std::uint32_t>(d5 - 1),
         3,
         {{4, dense}, {3, sparse}, {2, sparse}, {1, sparse}, {0, sparse}}},
        {"dense node of level 4 below another",
         moved_into(largest, one_in_each(d5, d4, 3277), 0, static_cast<std::int32_t>(d5)),
         static_cast<std::uint32_t>(2 * d4),
         static_cast<std::uint32_t>(d5 + 5 * d4),
         static_cast<std::uint32_t>(d5 - 1),
         last,
         {{5, sparse}, {4, dense}, {3, sparse}, {2, sparse}, {1, sparse}, {0, sparse}}},
        {"dense node of level 3 below two others",
         moved_into(largest, one_in_each(d4, d3, 3277), static_cast<std::int32_t>(d5),
                    static_cast<std::int32_t>(7 * d4)),
         static_cast<std::uint32_t>(d5 + 2 * d3),
         static_cast<std::uint32_t>(7 * d4 + 5 * d3),
         static_cast<std::uint32_t>(d5 + d4 - 1),
         static_cast<std::uint32_t>(8 * d4 - 1),
         {{5, sparse}, {4, sparse}, {3, dense}, {2, sparse}, {1, sparse}, {0, sparse}}},
    };
}
TEST(hisparse_edit_nodes, of_the_highest_levels) {
    check_every_kind<double>(far_node_cases());
    check_every_kind<float>(far_node_cases());
}

/// The same kinds for another d.
std::vector<node_case> node_cases_of(int node_dimension) {
    using enum node_kind;
    std::int64_t const d = node_dimension;
    auto const width = static_cast<std::uint32_t>(d);
    int const top = d == 128 ? 4 : 3;  // of 2^31 rows
    std::vector<path_node> far;
    for (int level = top; level >= 0; --level) far.push_back({level, sparse});
    // As few children as make it dense.
    std::int64_t const children = d == 128 ? 13105 : 52429;
    std::vector<node_case> cases{
        {"sparse inner nodes",
         moved_into(largest, matrix_where(d, d, [](auto i, auto j) { return i == 2 * j || i == 60; }),
                    static_cast<std::int32_t>(largest - d), static_cast<std::int32_t>(d)),
         static_cast<std::uint32_t>(largest - d), width, 0, static_cast<std::uint32_t>(largest - 1), far},
        {"dense inner node",
         one_in_each(d * d * d, d * d, children),
         static_cast<std::uint32_t>(2 * d * d),
         static_cast<std::uint32_t>(5 * d * d),
         static_cast<std::uint32_t>(d * d * d - 1),
         static_cast<std::uint32_t>(d * d * d - 1),
         {{2, dense}, {1, sparse}, {0, sparse}}},
        {"wide leaf", scattered(3 * d * d, 2 * d * d, 5000, 7), 0, 0, 0, 0, {{2, sparse}, {1, wide}}},
        {"diagonal leaf",
         matrix_where(d + 9, d, [d](auto i, auto j) { return i == j || (i < d && j == 40); }),
         width - 1,
         width - 1,
         width - 1,
         20,
         {{1, sparse}, {0, diagonal}}},
        {"dense leaf",
         matrix_where(d, d + 9, [](auto i, auto j) { return i % 6 != 5 && (i + j) % 59 != 0; }),
         width - 2,
         width - 1,
         5,
         width - 1,
         {{1, sparse}, {0, dense}}},
    };
    for (node_case& c : cases) c.node_dimension = node_dimension;
    return cases;
}
TEST(hisparse_edit_nodes, of_every_kind_of_other_dimensions) {
    for (int node_dimension : {128, 256}) {
        SCOPED_TRACE(node_dimension);
        std::vector<node_case> const cases = node_cases_of(node_dimension);
        // Of 256 in one type: they take as many entries, and as long, in either. With a sanitizer these alone.
        if (node_dimension == 256 || takes_all_cases) check_every_kind<double>(cases);
        if (node_dimension == 128 && takes_all_cases) check_every_kind<float>(cases);
    }
}

TEST(hisparse_edit_nodes, of_the_whole_battery) {
    std::vector<int> const dimensions{64, 128, 256};
    std::size_t turn = 0;
    for (battery_case const& c : whole_battery()) {
        if (c.matrix.row_count == 0 || c.matrix.column_count == 0) continue;
        SCOPED_TRACE(c.name);
        hisparse<double> const a = matrix_of<double>(c.matrix, dimensions[turn++ % 3]);
        std::int64_t const m = a.row_count(), n = a.column_count();
        hisparse<double> const b =
            checked_edit(a, edits<double>().set(0, 0, 1).add(m - 1, n - 1, 2).erase(m / 2, n / 3).set(m / 3, n / 2, 4));
        if (c.matrix.entry_count() == 0) continue;
        auto const k = static_cast<std::size_t>(c.matrix.entry_count() / 2);
        checked_edit(b.transposed(), edits<double>().erase(c.matrix.columns[k], c.matrix.rows[k]));
    }
}

}  // namespace
}  // namespace copse::tests
