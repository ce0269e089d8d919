// Edits of every kind of node against a map of entries: at every level, where kinds change, and below transposed
// references.
#include <copse/formats/hisparse_edit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <formats/distant_memory.hpp>
#include <formats/edits/edit_tools.hpp>
#include <random>
#include <some_cases.hpp>
#include <string>

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

TEST(hisparse_edit_kinds, follow_the_rule_of_the_smallest) {
    auto kind_of = [](hisparse<double> const& a) { return a.root().reference.kind(); };
    // Diagonal to sparse: the run breaks. And back.
    hisparse<double> const run =
        matrix_of<double>(matrix_where(64, 64, [](auto i, auto j) { return i == j && i < 12; }));
    EXPECT_EQ(kind_of(run), node_kind::diagonal);
    hisparse<double> const broken = checked_edit(run, edits<double>().erase(4, 4).erase(8, 8));
    EXPECT_EQ(kind_of(broken), node_kind::sparse);
    hisparse<double> const mended = checked_edit(broken, edits<double>().set(4, 4, 1).set(8, 8, 2));
    EXPECT_EQ(kind_of(mended), node_kind::diagonal);
    // Sparse to dense at 3329 entries without runs (hisparse_test.cpp), and back.
    hisparse<double> const sparse = matrix_of<double>(
        matrix_where(64, 64, [](auto i, auto j) { return i % 6 != 5 && (i - i / 6) * 64 + j < 3328; }));
    EXPECT_EQ(kind_of(sparse), node_kind::sparse);
    hisparse<double> const dense = checked_edit(sparse, edits<double>().set(62, 1, 1));
    EXPECT_EQ(kind_of(dense), node_kind::dense);
    EXPECT_EQ(kind_of(checked_edit(dense, edits<double>().erase(3, 3))), node_kind::sparse);
    // The holes of a dense leaf close: no presence bits. One hole: the long runs are smaller than presence bits.
    edits<double> missing;
    entry_map<double> const present = map_of(dense);
    for (int i = 0; i < 64; ++i)
        for (int j = 0; j < 64; ++j)
            if (!present.contains({i, j})) missing.set(i, j, 1);
    hisparse<double> const full = checked_edit(dense, missing);
    EXPECT_EQ(kind_of(full), node_kind::dense);
    EXPECT_EQ(reachable_bytes(dense), 32768 + 512);
    EXPECT_EQ(reachable_bytes(full), 32768);
    EXPECT_EQ(kind_of(checked_edit(full, edits<double>().erase(7, 5))), node_kind::diagonal);
}

TEST(hisparse_edit_kinds, of_inner_nodes_follow_the_rule) {
    // d = 64: 3276 children take 32768 bytes in either form, sparse it is; one more makes the node dense. 17 entries in
    // each leaf, so that the block is not wide.
    coo<double> const entries = matrix_of_rows(4096, 4096, [](auto i) {
        std::int64_t const blocks = std::clamp<std::int64_t>(3276 - i / 64 * 64, 0, 64);
        return i % 64 < 17 ? every(i % 64 * 3, 64, 64 * blocks) : std::vector<std::int64_t>();
    });
    hisparse<double> const sparse = matrix_of<double>(entries);
    EXPECT_EQ(path_to(sparse, 0, 0).front(), (path_node{1, node_kind::sparse}));
    hisparse<double> const dense = checked_edit(sparse, edits<double>().set(4095, 4095, 1));
    EXPECT_EQ(path_to(dense, 0, 0).front(), (path_node{1, node_kind::dense}));
    hisparse<double> const again = checked_edit(dense, edits<double>().erase(4095, 4095));
    EXPECT_EQ(path_to(again, 0, 0).front(), (path_node{1, node_kind::sparse}));
}

TEST(hisparse_edit_kinds, of_blocks_of_level_1) {
    auto kind_of = [](hisparse<double> const& a) { return a.root().reference.kind(); };
    // New ones by the rule: two leaves of one entry are wide, one leaf is not, nor are two of 17 on average.
    hisparse<double> const nothing(host_memory(), empty_matrix(100, 100), {.node_dimension = 64});
    EXPECT_EQ(kind_of(checked_edit(nothing, edits<double>().set(1, 1, 1).set(80, 80, 2))), node_kind::wide);
    EXPECT_EQ(kind_of(checked_edit(nothing, edits<double>().set(1, 1, 1).set(2, 1, 2))), node_kind::sparse);
    edits<double> many;
    for (int i = 0; i < 34; ++i) many.set(47 + i, 3 * (i % 7), i);
    EXPECT_EQ(kind_of(checked_edit(nothing, many)), node_kind::sparse);
    // Below an inner node too.
    hisparse<double> const corner(host_memory(), coo<double>{9000, 9000, {0}, {0}, {1}}, {.node_dimension = 64});
    hisparse<double> const two = checked_edit(corner, edits<double>().set(8999, 8999, 1).set(8900, 8900, 1));
    EXPECT_EQ(path_to(two, 8999, 8999).back(), (path_node{1, node_kind::wide}));
    EXPECT_EQ(path_to(two, 0, 0).back(), (path_node{0, node_kind::sparse}));
    // A wide leaf of which one leaf is left is that leaf; one with a crowd is leaves.
    hisparse<double> const wide = checked_edit(nothing, edits<double>().set(1, 1, 1).set(80, 80, 2));
    EXPECT_EQ(kind_of(checked_edit(wide, edits<double>().erase(1, 1))), node_kind::sparse);
    edits<double> crowd = many;  // three leaves have 49 entries
    for (int i = 0; i < 13; ++i) crowd.set(i, 2 * i + 2, i);
    EXPECT_EQ(kind_of(checked_edit(wide, many)), node_kind::wide);
    EXPECT_EQ(kind_of(checked_edit(wide, crowd)), node_kind::sparse);
    EXPECT_FALSE(checked_edit(wide, edits<double>().erase(80, 80).erase(1, 1)).root());
    // A leaf beside which another appears is a wide leaf with it.
    hisparse<double> const one = checked_edit(nothing, edits<double>().set(1, 1, 1));
    EXPECT_EQ(kind_of(one), node_kind::sparse);
    EXPECT_EQ(kind_of(checked_edit(one, edits<double>().set(80, 80, 2))), node_kind::wide);
}

/// d = 64: so many blocks, with 16 entries each.
coo<double> sixteen_in_each(int blocks) {
    coo<double> a = empty_matrix(4096, 4096);
    for (int k = 0; k < blocks; ++k)
        for (int i = 0; i < 16; ++i) {
            a.rows.push_back(k / 64 * 64 + 3 * i);
            a.columns.push_back(k % 64 * 64 + 7 * i % 50);
            a.values.push_back(k + i);
        }
    return a;
}

TEST(hisparse_edit_kinds, of_wide_leaves_follow_the_rule_of_conversions) {
    for (int blocks : {2, 5, 100, 4096}) {
        SCOPED_TRACE(blocks);
        hisparse<double> const wide = matrix_of<double>(sixteen_in_each(blocks));
        ASSERT_EQ(wide.root().reference.kind(), node_kind::wide);
        EXPECT_EQ(checked_edit(wide, edits<double>().set(0, 0, 5).erase(3, 7)).root().reference.kind(),
                  node_kind::wide);
        hisparse<double> const leaves = checked_edit(wide, edits<double>().set(62, 62, 5));
        EXPECT_NE(leaves.root().reference.kind(), node_kind::wide);
        hisparse<double> const anew(host_memory(), to_coo(leaves), {.node_dimension = 64});
        EXPECT_EQ(leaves.census().visits, anew.census().visits);
        EXPECT_EQ(reachable_bytes(leaves), reachable_bytes(anew));
        EXPECT_EQ(leaves.content()->reachable_bytes, reachable_bytes(anew));
    }
}

// What an edit takes away may be the last of its leaf.
TEST(hisparse_edit_kinds, of_wide_leaves_know_of_leaves_that_go) {
    for (int blocks : {2, 5, 100, 4095}) {
        SCOPED_TRACE(blocks);
        coo<double> entries = sixteen_in_each(blocks);
        entries.rows.push_back(4095);
        entries.columns.push_back(4095);
        entries.values.push_back(1);
        hisparse<double> const wide = matrix_of<double>(entries);
        ASSERT_EQ(wide.root().reference.kind(), node_kind::wide);
        EXPECT_EQ(checked_edit(wide, edits<double>().set(62, 62, 5)).root().reference.kind(), node_kind::wide);
        edits<double> const away = edits<double>().erase(4095, 4095);
        EXPECT_EQ(checked_edit(wide, away).root().reference.kind(), node_kind::wide);
        EXPECT_NE(checked_edit(wide, edits<double>(away).set(62, 62, 5)).root().reference.kind(), node_kind::wide);
    }
}

TEST(hisparse_edit_kinds, of_wide_leaves_stay_shared_where_nothing_changes) {
    edits<double> fewer;  // far from what the rule has for them
    for (int k = 0; k < 64; ++k) fewer.erase(0, k * 64);
    hisparse<double> const wide = edit(matrix_of<double>(sixteen_in_each(100)), fewer);
    entry_map<double> const map = map_of(wide);
    edits<double> const none =
        edits<double>().erase(1, 1).set(3, 7, map.at({3, 7})).add(6, 14, 0).set(2, 2, 8).erase(2, 2);
    EXPECT_EQ(edit(wide, none).content(), wide.content());
    EXPECT_NE(edit(wide, edits<double>(none).set(3, 7, 0.0)).content(), wide.content());
    hisparse<double> const zero = edit(wide, edits<double>().set(3, 7, 0.0));
    EXPECT_EQ(edit(zero, edits<double>().set(3, 7, 0.0)).content(), zero.content());
    EXPECT_NE(edit(zero, edits<double>().set(3, 7, -0.0)).content(), zero.content());
}

// Between 15 and 16 entries in a leaf either stays what it is.
TEST(hisparse_edit_kinds, of_a_node_over_leaves_wait_for_one_entry_less_in_each) {
    for (bool transposed : {false, true}) {
        SCOPED_TRACE(transposed);
        hisparse<double> a = matrix_of<double>(sixteen_in_each(100));
        a = checked_edit(a, edits<double>().set(62, 62, 5));
        if (transposed) a = a.transposed();
        edits<double> most;  // 1500 and one are left
        for (int k = 0; k < 100; ++k)
            transposed ? most.erase(k % 64 * 64, k / 64 * 64) : most.erase(k / 64 * 64, k % 64 * 64);
        hisparse<double> const waiting = checked_edit(a, most);
        ASSERT_EQ(waiting.entry_count(), 1501);
        EXPECT_EQ(waiting.root().reference.kind(), node_kind::sparse);
        EXPECT_EQ(checked_edit(waiting, edits<double>().erase(0, 1)).root().reference.kind(), node_kind::sparse)
            << "nothing was there";
        coo<double> const left = to_coo(waiting);
        edits<double> const last = edits<double>().erase(left.rows[700], left.columns[700]);
        hisparse<double> const thin = checked_edit(waiting, last);
        EXPECT_EQ(thin.root().reference.kind(), node_kind::wide);
        EXPECT_EQ(thin.content()->reachable_bytes, reachable_bytes(thin));
        EXPECT_EQ(reachable_bytes(thin), detail::wide_leaf::bytes(1500, 8));
        // And back: not before there are more than 16.
        edits<double> few;
        for (int k = 0; k < 100; ++k) few.set(k % 64, 51 + k / 64, 1);
        EXPECT_EQ(checked_edit(thin, few).root().reference.kind(), node_kind::wide);
    }
}

// A node that is no wide leaf yet, though it has so few entries, becomes one by an edit that changes something.
TEST(hisparse_edit_kinds, of_a_node_over_few_entries_stay_without_a_change) {
    hisparse<double> const a =
        mosaic(matrix_of<double>(matrix_where(64, 64, [](auto i, auto j) { return i == 9 * j; })));
    ASSERT_EQ(a.root().reference.kind(), node_kind::sparse);
    EXPECT_EQ(edit(a, edits<double>().erase(0, 1)).content(), a.content());
    EXPECT_EQ(checked_edit(a, edits<double>().erase(0, 0)).root().reference.kind(), node_kind::wide);
}

// Dense, diagonal and large leaves, and such as their parent has transposed, fall to a few entries.
TEST(hisparse_edit_kinds, of_thinned_nodes_are_those_of_their_conversion) {
    auto const of_all_kinds = [](auto i, auto j) {
        if (j < 64) return i % 6 != 5;              // dense leaves
        if (j < 256) return i == j || j == i + 40;  // runs
        return (7 * i + 13 * j) % 31 == 0;
    };
    auto const in_every_block = [](auto i) {
        return i % 64 % 3 == 0 ? every(i / 64 % 64, 64, 4096) : std::vector<std::int64_t>();
    };
    for (coo<double> const& entries :
         {matrix_where(400, 700, of_all_kinds), matrix_of_rows(4096, 4096, in_every_block)}) {
        SCOPED_TRACE(entries.row_count);
        hisparse<double> const a = matrix_of<double>(entries);
        ASSERT_EQ(a.census().wide_leaves(), 0);
        for (hisparse<double> const& b : {a, mosaic(a), a.transposed()}) {
            coo<double> const all = to_coo(b);
            coo<double> left = empty_matrix(all.row_count, all.column_count);
            edits<double> changes;
            for (std::size_t k = 0; k < all.values.size(); ++k) {
                if (k % 60 != 7) {
                    changes.erase(all.rows[k], all.columns[k]);
                    continue;
                }
                left.rows.push_back(all.rows[k]);
                left.columns.push_back(all.columns[k]);
                left.values.push_back(all.values[k]);
            }
            hisparse<double> const thin = edit(b, changes);
            check_tree(thin);
            EXPECT_EQ(map_of(thin), map_of(left));
            EXPECT_EQ(map_of(edit(placed_in(std::make_shared<distant_memory>(), b), changes)), map_of(left));
            EXPECT_GT(thin.census().wide_leaves(), 0);
            EXPECT_LE(10 * reachable_bytes(thin),
                      11 * reachable_bytes(hisparse<double>(host_memory(), to_coo(thin), {.node_dimension = 64})));
        }
    }
}

// Children with the transposed bit, each a second or third reference to one node.
TEST(hisparse_edit_transposed_children, of_every_kind) {
    auto const part = [](std::int64_t n, auto keep) { return matrix_of<double>(matrix_where(n, n, keep)); };
    auto const large_part = [](auto columns) { return matrix_of<double>(matrix_of_rows(4096, 4096, columns)); };
    std::vector<std::int64_t> const none;
    std::vector<hisparse<double>> const parts{
        part(64, [](auto i, auto j) { return i == 2 * j || i == 60; }),                // sparse leaf
        part(64, [](auto i, auto j) { return j == i + 3 || (i == 9 && j < 20); }),     // diagonal leaf
        part(64, [](auto i, auto j) { return i % 6 != 5 && (i + 2 * j) % 59 != 0; }),  // dense leaf
        large_part([&](auto i) { return i % 700 == 3 ? every(7, 90, 4096) : none; }),  // wide leaf
        large_part([&](auto i) {                                                       // inner node
            return i < 2048 && i % 64 < 20 ? every(i / 64 * 128 + 1, 5, i / 64 * 128 + 64) : none;
        }),
        large_part([&](auto i) { return i / 64 < 58 && i % 64 < 17 ? every(i / 64 + 1, 64, 58 * 64) : none; }),
    };
    std::vector<path_node> const kinds{{0, node_kind::sparse}, {0, node_kind::diagonal}, {0, node_kind::dense},
                                       {1, node_kind::wide},   {1, node_kind::sparse},   {1, node_kind::dense}};
    for (std::size_t k = 0; k < parts.size(); ++k) {
        SCOPED_TRACE(k);
        EXPECT_EQ(path_to(parts[k], 0, 0).front(), kinds[k]);
        hisparse<double> const a = mosaic(parts[k]);
        check_tree(a);
        std::int64_t const n = parts[k].row_count();
        coo<double> const entries = to_coo(parts[k]);
        std::int64_t const i = entries.rows[5], j = entries.columns[5];
        hisparse<double> const b = checked_edit(a, edits<double>().set(j, n + i, 500).add(n + 1, 2, 3));
        EXPECT_EQ(map_of(b).at({i, j}), entries.values[5]) << "the other references are still to the old node";
        checked_edit(a.transposed(), edits<double>().erase(j, n + i).set(0, 0, 1).erase(n + j, i).add(n + j, n + i, 2));
        checked_edit(b, edits<double>().erase(j, n + i).set(2 * n - 1, 2 * n - 1, 4));
    }
}

TEST(hisparse_edit_transposed_children, below_one_another) {
    hisparse<double> const part =
        matrix_of<double>(matrix_where(64, 64, [](auto i, auto j) { return i == 2 * j || i == 60; }));
    hisparse<double> a = mosaic(mosaic(part));  // 8192 x 8192; blocks of 128 x 128 at its four corners of 4096
    ASSERT_EQ(a.row_count(), 8192);
    check_tree(a);
    for (int round = 0; round < 6; ++round) {
        coo<double> const entries = to_coo(a);
        edits<double> changes;
        for (std::size_t k = static_cast<std::size_t>(round); k < entries.values.size(); k += 37)
            changes.add(entries.rows[k], entries.columns[k], 5)
                .erase(entries.rows[k / 2], entries.columns[k / 2])
                .set(entries.columns[k], entries.rows[k / 3], 3);
        a = checked_edit(a, changes).transposed();
    }
}

}  // namespace
}  // namespace copse::tests
