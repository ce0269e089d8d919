// Sizes of nodes, worked by hand.
#include <gtest/gtest.h>

#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/formats/tree/arena_limit.hpp>
#include <formats/distant_memory.hpp>
#include <formats/edits/edit_tools.hpp>
#include <runtime/message_of.hpp>

namespace copse::tests {
namespace {

void expect_group(node_sizes::group const& g, std::int64_t nodes, std::int64_t entries, std::int64_t bytes) {
    EXPECT_EQ(g.nodes, nodes);
    EXPECT_EQ(g.entries, entries);
    EXPECT_EQ(g.bytes, bytes);
}

/// 192 x 192, d = 64: a full block, the diagonal of another, 20 entries in a third.
coo<double> three_kinds() {
    return matrix_where(192, 192, [](auto i, auto j) {
        return (i < 64 && j < 64) || (i < 128 && i == j) || (i == 128 && j >= 64 && j < 104 && j % 2 == 0);
    });
}

TEST(node_sizes, of_each_kind_of_leaf) {
    hisparse<double> const a(host_memory(), three_kinds(), {.node_dimension = 64});
    node_sizes const sizes = sizes_of_nodes(a);
    expect_group(sizes.of(0, node_kind::dense), 1, 4096, 4096 * 8);
    expect_group(sizes.of(0, node_kind::diagonal), 1, 64, 16 + 64 * 8);  // counts and one run, values
    expect_group(sizes.of(0, node_kind::sparse), 1, 20, 208);            // 20 (8 + 2), a multiple of 16
    expect_group(sizes.of(1, node_kind::sparse), 1, 3, 48);              // 4 (8 + 2)
    EXPECT_EQ(sizes.bytes(), a.bytes());
    EXPECT_EQ(sizes.entries(), a.entry_count());
    EXPECT_EQ(sizes.blocks, 3);
    EXPECT_DOUBLE_EQ(sizes.entries_per_block(), 4180 / 3.0);
}

/// 128 x 128, d = 64: a block and its transpose, and the same block twice on the diagonal.
TEST(node_sizes, tell_what_is_stored_once) {
    coo<double> a = matrix_where(128, 128, [](auto i, auto j) {
        return i / 64 == j / 64 ? i % 64 == j % 64 : (i < 64 ? i % 64 < j % 64 : j % 64 < i % 64) && (i + j) % 5 == 0;
    });
    for (std::size_t k = 0; k < a.values.size(); ++k)
        a.values[k] = a.rows[k] == a.columns[k] ? 2 : a.rows[k] + a.columns[k];
    auto const sizes = [&](bool identical, bool transposed) {
        return sizes_of_nodes(hisparse<double>(
            host_memory(), a, {.node_dimension = 64, .share_identical = identical, .share_transposed = transposed}));
    };
    auto const check = [](node_sizes::group const& g, std::int64_t nodes, std::int64_t shared, std::int64_t mirrored,
                          std::int64_t once) {
        EXPECT_EQ(g.nodes, nodes);
        EXPECT_EQ(g.shared, shared);
        EXPECT_EQ(g.mirrored, mirrored);
        EXPECT_EQ(g.values_once, once);
    };
    check(sizes(false, false).of(0, node_kind::sparse), 2, 0, 0, 0);
    check(sizes(false, false).of(0, node_kind::diagonal), 2, 0, 0, 2);
    check(sizes(true, true).of(0, node_kind::sparse), 1, 1, 1, 0);
    check(sizes(true, true).of(0, node_kind::diagonal), 1, 1, 0, 1);
    check(sizes(true, true).of(1, node_kind::sparse), 1, 0, 0, 0);
    EXPECT_EQ(sizes(true, true).of(0, node_kind::sparse).negated, 0);
    // With the block's negative in the place of its transpose.
    for (std::size_t k = 0; k < a.values.size(); ++k)
        if (a.rows[k] > a.columns[k]) a.values[k] = -a.values[k];
    check(sizes(false, false).of(0, node_kind::sparse), 2, 0, 0, 0);
    check(sizes(false, true).of(0, node_kind::sparse), 1, 1, 1, 0);
    EXPECT_EQ(sizes(false, true).of(0, node_kind::sparse).negated, 1);
    EXPECT_EQ(sizes(true, true).of(0, node_kind::diagonal).negated, 0);
}

TEST(node_sizes, a_wide_leaf_stands_for_blocks) {
    // Two entries in each of three blocks that touch in the order of storage.
    coo<float> const entries{200, 200, {0, 1, 0, 1, 64, 65}, {0, 1, 64, 65, 64, 65}, {1, 2, 3, 4, 5, 6}};
    hisparse<float> const a(host_memory(), entries, {.node_dimension = 64});
    node_sizes const sizes = sizes_of_nodes(a.transposed());
    expect_group(sizes.of(1, node_kind::wide), 1, 6, 16 + 8 * (4 + 4));
    EXPECT_EQ(sizes.blocks, 3);
    EXPECT_EQ(sizes.entries_per_block(), 2);
    EXPECT_EQ(sizes.entries(), 6);
    EXPECT_EQ(sizes.wide_entries(), 6);
}

TEST(node_sizes, nodes_with_several_parents_count_once) {
    hisparse<double> const part(host_memory(), three_kinds(), {.node_dimension = 64});
    node_sizes const one = sizes_of_nodes(part), four = sizes_of_nodes(mosaic(part));
    EXPECT_EQ(four.bytes(), one.bytes() + 48);
    EXPECT_EQ(four.blocks, one.blocks);
    EXPECT_EQ(four.of(2, node_kind::sparse).entries, 4);
}

TEST(node_sizes, are_those_of_a_conversion_over_the_battery) {
    for (battery_case const& c : small_battery()) {
        SCOPED_TRACE(c.name);
        hisparse<double> const a(host_memory(), c.matrix, {.node_dimension = 128});
        node_sizes const sizes = sizes_of_nodes(a);
        EXPECT_EQ(sizes.bytes(), a.bytes());
        EXPECT_EQ(sizes.entries(), a.entry_count());
        for (int level = 0; level < level_count; ++level)
            for (int kind = 0; kind < node_kind_count; ++kind) {
                EXPECT_EQ(sizes.of(level, static_cast<node_kind>(kind)).nodes,
                          a.census().between(static_cast<node_kind>(kind), level, level));
            }
    }
}

TEST(arena_limit, names_what_takes_too_much) {
    detail::check_arena_bytes("add", "the nodes of the sum take", std::int64_t{1} << 36);
    EXPECT_EQ(message_of<shape_error>(
                  [] { detail::check_arena_bytes("add", "the nodes of the sum take", (std::int64_t{1} << 36) + 16); }),
              "add: the nodes of the sum take 68719476752 bytes or more; one arena holds at most 68719476736 (64 GiB): "
              "divide the matrix, by rows for example");
}

TEST(node_sizes, in_distant_memory) {
    hisparse<double> const a(std::make_shared<distant_memory>(), three_kinds(), {.node_dimension = 64});
    EXPECT_EQ(sizes_of_nodes(a).bytes(), a.bytes());
    EXPECT_EQ(sizes_of_nodes(hisparse<double>(host_memory(), empty_matrix(3, 4))).entries_per_block(), 0);
}

}  // namespace
}  // namespace copse::tests
