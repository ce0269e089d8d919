// Shared sub-trees on the executors of the host, and what cannot be shared: it is said or copied.
// tree_sharing_gpu_test.cu has the GPU.
#include <gtest/gtest.h>

#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/tree_building.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <formats/distant_memory.hpp>
#include <formats/tree_sharing_suite.hpp>
#include <memory>
#include <runtime/message_of.hpp>

namespace copse::tests {
namespace {

TEST(tree_sharing, makes_what_copies_make) {
    cpu threads(3);
    check_sharing<double>(threads);
    check_sharing<float>(threads);
    check_wide_of_shared<float>(threads);
}

TEST(tree_sharing, makes_what_copies_make_in_lanes) {
    emulated lanes;
    check_sharing<double>(lanes, false);
    check_wide_of_shared<double>(lanes);
}

TEST(tree_sharing, keeps_the_memory_of_what_is_shared_alive) {
    cpu executor(2);
    auto a = std::make_unique<hisparse<double>>(executor, leaves_of_all_kinds<double>(),
                                                hisparse_options{.node_dimension = 64});
    hisparse<double> const edited = edit(*a, edits<double>().set(1, 1, 5).erase(4100, (4100 * 1237) % 4096));
    ASSERT_GT(edited.content()->arenas.size(), 1u);
    auto const expected = map_of(edited);
    a.reset();
    hisparse<double> made = take(executor, edited, {.share_up_to = 1}).made;
    EXPECT_EQ(made.content()->arenas.size(), edited.content()->arenas.size() + 1);
    made = take(executor, made, {.share_up_to = 2}).made;  // and once more: of several arenas, none of its own
    EXPECT_EQ(made.content()->arenas.size(), edited.content()->arenas.size() + 1);
    EXPECT_EQ(map_of(made), expected);
    EXPECT_EQ(map_of(edit(made, edits<double>().set(0, 0, 7))).at({0, 0}), 7);
    check_tree(made);
}

/// An arena's number that another matrix has, too: nodes are copied then.
TEST(tree_sharing, copies_where_numbers_clash) {
    cpu executor(1);
    hisparse<double> const a(executor, leaves_of_all_kinds<double>(), {.node_dimension = 64});
    auto clashing = std::make_shared<hisparse_content>();
    clashing->row_count = clashing->column_count = 64;
    clashing->dimension_log2 = 6;
    clashing->arenas.push_back(
        {a.content()->arenas.front().number, std::make_shared<buffer<std::byte>>(executor.memory(), std::int64_t{64})});
    tree_building<double> made(executor, "clash", 64, 64, 64, {});
    EXPECT_EQ(made.share_nodes_of(hisparse<double>(clashing)).source, 0);
    EXPECT_EQ(made.share_nodes_of(a).source, -1);
    EXPECT_EQ(made.share_nodes_of(hisparse<double>(clashing)).source, 0) << "the same once more";
}

TEST(tree_sharing, refuses_what_does_not_fit) {
    cpu executor(1);
    hisparse<double> const a(executor, leaves_of_all_kinds<double>(), {.node_dimension = 64});
    tree_building<double> made(executor, "other", 4396, 4096, 128, {});
    EXPECT_NE(message_of<argument_error>([&] { made.share_nodes_of(a); }).find("other: the nodes of the matrix"),
              std::string::npos);
    tree_building<double> there(executor, "there", 4396, 4096, 64, {});
    EXPECT_THROW(there.share_nodes_of(placed_in(std::make_shared<distant_memory>(), a)), argument_error);
    // A node of another level, and one that has more rows than the new matrix at its place.
    tree_building<double> small(executor, "small", 64, 64, 64, {});
    shared_tree<double> const whole = small.share_nodes_of(a);
    using task = take_over<double>;
    std::int64_t shared = 0;
    EXPECT_NE(message_of<argument_error>([&] {
                  run(executor, small.seed<task>(a.root()), task{whole, 1, 0, 0, 1 << 16, &shared, small.writer()});
              }).find("a node of level 2, at row 0, column 0, cannot go to a place of level 0"),
              std::string::npos);
    tree_building<double> lower(executor, "lower", 4196, 4096, 64, building_bound::of(a));
    shared_tree<double> const all = lower.share_nodes_of(a);
    EXPECT_THROW(  // the wide leaf has rows to 4396: it is not shared, and its parts do not fit
        run(executor, lower.seed<task>(a.root()), task{all, 1, 0, 1, 1 << 16, &shared, lower.writer()}),
        argument_error);
}

}  // namespace
}  // namespace copse::tests
