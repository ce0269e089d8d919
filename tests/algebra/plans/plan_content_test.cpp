// Plans of matrices in memory that the host cannot read: the lists of those in host memory, and how much is copied for
// them.
#include <copse/algebra/plans/plan_content.hpp>

#include <gtest/gtest.h>

#include <algebra/plans/plan_matrices.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/formats/tree/tree_difference.hpp>
#include <cstring>
#include <formats/distant_memory.hpp>
#include <formats/edits/edit_tools.hpp>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

using plan_pointer = std::shared_ptr<detail::plan_content<double> const>;

plan_pointer plan_of(hisparse<double> const& a, std::shared_ptr<memory> const& where) {
    hisparse_content nothing;
    nothing.dimension_log2 = a.content()->dimension_log2;
    auto const leaves = detail::difference(nothing, *a.content(), sizeof(double)).added;
    return detail::make_plan<double>(a.content(), leaves, {true, true}, detail::replay_shape, where);
}

/// Arenas have other numbers.
bool same_leaf(node a, node b) {
    child_reference const x = a.reference, y = b.reference;
    return x.offset() == y.offset() && x.kind() == y.kind() && x.level() == y.level() && x.entries() == y.entries() &&
           x.transposed() == y.transposed() && a.row == b.row && a.column == b.column;
}

/// Bytes by arena, in the order of arenas, and offset.
std::map<std::pair<std::size_t, std::uint64_t>, std::vector<std::byte>> turned_leaves_of(
    detail::direction_content const& direction) {
    std::map<std::pair<std::size_t, std::uint64_t>, std::vector<std::byte>> leaves;
    for (std::size_t k = 0; k < direction.turned.size(); ++k) {
        auto const nodes = direction.turned[k].memory->to_host();
        for (detail::turned_leaf const& leaf : direction.turned_leaves.to_host()) {
            if (leaf.turned.arena() != direction.turned[k].number) continue;
            auto const begin = nodes.begin() + static_cast<std::ptrdiff_t>(leaf.turned.offset());
            std::int32_t count;  // the reference knows it roughly
            std::memcpy(&count, &*begin, sizeof count);
            leaves[{k, leaf.turned.offset()}] = {begin, begin + detail::wide_leaf::bytes(count, sizeof(double))};
        }
    }
    return leaves;
}

void expect_same(detail::direction_content const& a, detail::direction_content const& b) {
    auto const items_a = a.lists->items.to_host(), items_b = b.lists->items.to_host();
    ASSERT_EQ(items_a.size(), items_b.size());
    for (std::size_t i = 0; i < items_a.size(); ++i) {
        ASSERT_TRUE(same_leaf(items_a[i].leaf, items_b[i].leaf)) << i;
        ASSERT_EQ(std::pair(items_a[i].first, items_a[i].last), std::pair(items_b[i].first, items_b[i].last)) << i;
    }
    EXPECT_EQ(a.lists->part_count, b.lists->part_count);
    ASSERT_EQ(a.turned.size(), b.turned.size());
    ASSERT_EQ(std::ssize(turned_leaves_of(a)), a.turned_leaves.size());
    EXPECT_TRUE(turned_leaves_of(a) == turned_leaves_of(b));
}
void expect_same(plan_pointer const& a, plan_pointer const& b) {
    for (bool const of_transpose : {false, true})
        expect_same(*a->directions[of_transpose].made(), *b->directions[of_transpose].made());
}

TEST(plan_content, has_the_lists_of_a_matrix_in_host_memory) {
    auto const where = std::make_shared<distant_memory>();
    for (coo<double> const& entries : {mixed_matrix(), scattered(20000, 17000, 30000, 7), empty_matrix(700, 900)}) {
        hisparse<double> here = matrix_of<double>(entries), there = placed_in(where, here);
        plan_pointer plan_here = plan_of(here, host_memory()), plan_there = plan_of(there, where);
        expect_same(plan_here, plan_there);
        for (std::int64_t round = 0; round < 4; ++round) {
            edits<double> changes;
            for (std::int64_t k = 0; k < 20; ++k)
                changes.set((k * 997 + round) % here.row_count(), k * 31 % here.column_count(), 3);
            here = edit(here, changes);
            there = edit(there, changes);
            plan_here = detail::update_plan<double>(*plan_here, here.content());
            plan_there = detail::update_plan<double>(*plan_there, there.content());
            expect_same(plan_here, plan_there);
        }
    }
}

/// Another content with the same nodes at the same places, as with_values() makes it.
std::shared_ptr<hisparse_content const> like(hisparse_content const& a, std::shared_ptr<memory> const& where) {
    auto content = std::make_shared<hisparse_content>();
    content->row_count = a.row_count;
    content->column_count = a.column_count;
    content->dimension_log2 = a.dimension_log2;
    content->root = a.root;
    content->arenas = a.arenas;
    content->space = a.space;
    content->notes = a.notes;
    detail::make_arena_table(*content, where);
    return content;
}

TEST(plan_content, turns_leaves_again_for_other_values) {
    auto const where = std::make_shared<distant_memory>();
    hisparse<double> const a = placed_in(where, matrix_of<double>(scattered(20000, 17000, 30000, 7)));
    hisparse<double> const b = edit(a, edits<double>().set(700, 800, 5));
    plan_pointer const plan = detail::update_plan<double>(*plan_of(a, where), b.content());
    ASSERT_EQ(plan->directions[1].made()->turned.size(), 2);
    std::int64_t const before = where->copies_to_host();
    plan_pointer const again = detail::update_plan<double>(*plan, like(*b.content(), where));
    EXPECT_EQ(where->copies_to_host() - before, 2);  // which leaves are turned, and they
    for (bool const of_transpose : {false, true})
        EXPECT_EQ(again->directions[of_transpose].made()->lists, plan->directions[of_transpose].made()->lists);
    expect_same(plan, again);
}

/// Of the update after `count` edits of a matrix of wide leaves.
struct update_cost {
    std::int64_t copies;
    std::int64_t bytes;  // besides the lists
};

update_cost cost_of_update(std::size_t count) {
    auto const where = std::make_shared<distant_memory>();
    coo<double> const entries = scattered(300000, 300000, 100000, 9);
    hisparse<double> const a = placed_in(where, matrix_of<double>(entries));
    plan_pointer const plan = plan_of(a, where);
    edits<double> changes;
    for (std::size_t k = 0; k < count; ++k) changes.set(entries.rows[97 * k], entries.columns[97 * k], 500);
    hisparse<double> const b = edit(a, changes);
    update_cost const before{where->copies_to_host(), where->bytes_to_host()};
    plan_pointer const updated = detail::update_plan<double>(*plan, b.content());
    std::int64_t bytes = where->bytes_to_host() - before.bytes;
    for (bool const of_transpose : {false, true}) {
        auto const& lists = *plan->directions[of_transpose].made()->lists;
        bytes -= static_cast<std::int64_t>(lists.items.bytes() + lists.parts.bytes() +
                                           plan->directions[of_transpose].made()->turned_leaves.bytes());
    }
    EXPECT_GT(updated->directions[1].made()->turned.size(), plan->directions[1].made()->turned.size());
    EXPECT_GT(a.bytes(), 1400000);
    return {where->copies_to_host() - before.copies, bytes};
}

TEST(plan_content, is_updated_by_a_look_at_what_differs) {
    update_cost const one = cost_of_update(1), many = cost_of_update(1000);
    EXPECT_EQ(one.copies, 2 * 2 + 1 + 4 + 1);  // inner nodes of both trees, wide leaves, lists, what A^T turns
    EXPECT_EQ(many.copies, one.copies);
    EXPECT_LT(one.bytes, 80000);
}

}  // namespace
}  // namespace copse::tests
