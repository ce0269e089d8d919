// Compaction where the matrix is: the same tree as by the host alone.
#include <copse/algebra/new_matrices.hpp>

#include <gtest/gtest.h>

#include <copse/formats/generators.hpp>
#include <copse/formats/leaves/value_places.hpp>
#include <copse/formats/tree/compaction_plan.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <formats/distant_memory.hpp>
#include <formats/edits/edit_tools.hpp>
#include <memory>
#include <runtime/message_of.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

template <class T>
class compact_on : public testing::Test {};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(compact_on, value_types);

template <class T, class Executor>
void check_compact(Executor& executor, hisparse<T> const& a) {
    entry_map<T> const expected = map_of(a);
    hisparse<T> const b = compact(executor, a), by_host = compact(a);
    EXPECT_EQ(b.bytes(), by_host.bytes());
    EXPECT_EQ(b.content()->reachable_bytes, reachable_bytes(b));
    EXPECT_EQ(reachable_bytes(b), b.bytes());
    EXPECT_EQ(shared_bytes(a, b), 0);
    EXPECT_EQ(b.content()->arenas.size(), a.root() ? 1u : 0u);
    EXPECT_EQ(b.is_transposed(), a.is_transposed());
    EXPECT_EQ(b.scale(), a.scale());
    expect_entries(b, expected);
    expect_entries(a, expected);
    check_tree(b);
}

/// Of all kinds of leaves and inner nodes, of several arenas, with several parents.
template <class T>
std::vector<hisparse<T>> matrices_to_compact() {
    hisparse<T> const lists = matrix_of<T>(scattered_lists(20000, 17000));
    hisparse<T> const full = matrix_of<T>(matrix_where(300, 300, [](auto i, auto j) { return i != 70 || j != 9; }));
    hisparse<T> const wide = matrix_of<T>(scattered(300000, 300000, 7000, 9));
    hisparse<T> const runs = matrix_of<T>(generate<double>("stencil27:12"));
    return {lists,
            edit(edit(lists, edits<T>().set(5, 5, 1)), edits<T>().set(19999, 16999, 2).erase(5, 5)).transposed(),
            full,
            wide.scaled(2),
            edit(wide, edits<T>().set(299999, 0, 1)),
            mosaic(mosaic(wide)),
            runs,
            edit(runs, edits<T>().erase(0, 0)),
            matrix_of<T>(matrix_where(3, 3, [](auto i, auto j) { return i == j; })),
            matrix_of<T>(empty_matrix(70, 90)).transposed()};
}

TYPED_TEST(compact_on, gives_the_tree_of_the_host) {
    cpu executor(2);
    for (auto const& a : matrices_to_compact<TypeParam>()) check_compact(executor, a);
}

TYPED_TEST(compact_on, works_lane_by_lane) {
    emulated executor({.mode = emulation::explore, .seed = 5});
    for (auto const& a : matrices_to_compact<TypeParam>()) check_compact(executor, a);
}

TYPED_TEST(compact_on, shares_identical_sub_trees_where_asked) {
    cpu executor(1);
    auto const periodic = matrix_where(640, 640, [](auto i, auto j) { return i % 64 < 4 && j % 64 % 9 == 0; });
    hisparse<TypeParam> a(host_memory(), coo<TypeParam>{640, 640, periodic.rows, periodic.columns,
                                                        std::vector<TypeParam>(periodic.rows.size(), TypeParam(3))});
    EXPECT_EQ(compact(executor, a, {.share_identical = true}).bytes(), compact(a, {.share_identical = true}).bytes());
    EXPECT_LT(compact(executor, a, {.share_identical = true}).bytes(), compact(executor, a).bytes());
}

// In memory that the host cannot read: what it looks at.
TYPED_TEST(compact_on, fetches_inner_nodes_and_heads_of_leaves) {
    for (auto const& here : matrices_to_compact<TypeParam>()) {
        if (!here.root()) continue;
        auto const where = std::make_shared<distant_memory>();
        hisparse<TypeParam> const there = placed_in(where, here);
        std::int64_t const copies_before = where->copies_to_host(), bytes_before = where->bytes_to_host();
        detail::compaction_plan const plan = detail::plan_compaction(*there.content(), sizeof(TypeParam));
        std::int64_t const copies = where->copies_to_host() - copies_before;
        std::int64_t const bytes = where->bytes_to_host() - bytes_before;
        EXPECT_LE(copies, there.content()->root.level() + 1);
        std::int64_t heads = 0;
        for (node_kind kind : {node_kind::diagonal, node_kind::wide})
            for (int level : {0, 1})
                for (std::int64_t n :
                     there.census().visits[static_cast<std::size_t>(level)][static_cast<std::size_t>(kind)])
                    heads += 16 * n;
        EXPECT_LE(bytes, plan.inner_nodes.size() + heads);
        // The plan that the host makes of what it can read.
        hisparse<TypeParam> const alone = placed_in(host_memory(), here);
        detail::compaction_plan const read = detail::plan_compaction(*alone.content(), sizeof(TypeParam));
        EXPECT_EQ(plan.bytes, read.bytes);
        EXPECT_EQ(plan.root.offset(), read.root.offset());
        ASSERT_EQ(plan.leaves.size(), read.leaves.size());
        for (std::size_t i = 0; i < plan.leaves.size(); ++i) {
            EXPECT_EQ(detail::offset_of_place(plan.leaves[i].from), detail::offset_of_place(read.leaves[i].from));
            EXPECT_EQ(plan.leaves[i].to, read.leaves[i].to);
            EXPECT_EQ(plan.leaves[i].count, read.leaves[i].count);
        }
    }
}

TEST(compact_on_memory, refuses_another) {
    cpu executor(1);
    hisparse<double> const there = placed_in(std::make_shared<distant_memory>(),
                                             matrix_of<double>(matrix_where(3, 3, [](auto, auto) { return true; })));
    EXPECT_EQ(message_of<argument_error>([&] { compact(executor, there); }),
              "compact: the matrix is in device memory, but the executor works in host memory; make it with the same "
              "executor (copse::buffer, copse::hisparse)");
}

}  // namespace
}  // namespace copse::tests
