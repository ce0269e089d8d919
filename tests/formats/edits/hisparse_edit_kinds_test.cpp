// Which kinds the nodes of an edited matrix have: those of the rule, and of conversions; children below transposed
// references.
#include <copse/formats/hisparse_edit.hpp>

#include <gtest/gtest.h>

#include <formats/distant_memory.hpp>
#include <formats/edits/edit_tools.hpp>
#include <memory>
#include <vector>

namespace copse::tests {
namespace {

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

/// A matrix of that many blocks of 64 x 64, each with 16 entries.
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
