// The census of a sum: where nodes have more entries below them than 32 bits count; as the tasks in lanes count it that
// make the nodes.
#include <gtest/gtest.h>

#include <algebra/sums/add_pairs.hpp>
#include <copse/algebra/sums/add_run.hpp>
#include <copse/algebra/sums/sum_choices.hpp>
#include <copse/formats/from_rows/tree_plan.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <memory>
#include <vector>

namespace copse::tests {
namespace {

/// d = 256: a dense node over 2^16 times the same full leaf, whose values nobody reads.
hisparse_content crowded_block() {
    std::int64_t const leaf_bytes = detail::dense_leaf::bytes(detail::dense_leaf::shape(1 << 16), 256, sizeof(float));
    child_reference const leaf(0, 0, 1 << 16, node_kind::dense, 0);
    child_reference const inner(0, static_cast<std::uint64_t>(leaf_bytes), 1 << 16, node_kind::dense, 1);
    auto const memory = std::make_shared<buffer<std::byte>>(host_memory(), leaf_bytes + detail::dense_inner_bytes(256));
    std::vector<detail::planned_node> children;
    for (int row = 0; row < 256; ++row)
        for (int column = 0; column < 256; ++column)
            children.push_back({leaf, static_cast<std::uint8_t>(row), static_cast<std::uint8_t>(column)});
    detail::write_inner_node(memory->data(), inner, children.data(), 8);
    hisparse_content content;
    content.row_count = content.column_count = 1 << 16;
    content.dimension_log2 = 8;
    content.root = inner;
    content.arenas.push_back({0, memory});
    detail::make_arena_table(content, host_memory());
    return content;
}

template <class Executor>
void check(Executor& executor) {
    hisparse_content const content = crowded_block();
    node_census const census = detail::count_all_nodes<float>(executor, content, 1, detail::addition_report()).census;
    EXPECT_EQ(census.leaf_entries(), std::int64_t{1} << 32);
    EXPECT_EQ(census.leaves(node_kind::dense), 1 << 16);
    EXPECT_EQ(census.inner_nodes(node_kind::dense), 1);
}

TEST(count_nodes, counts_more_entries_below_a_node_than_32_bits_hold) {
    cpu executor(1);
    check(executor);
    emulated lanes({.mode = emulation::explore, .seed = 3});
    check(lanes);
}

/// alpha A + beta B, with nodes counted as they are made, beside the same by a walk over what is there.
template <class T>
void check_counts(emulated& lanes, T alpha, hisparse<T> const& a, T beta, hisparse<T> const& b) {
    auto const sum = [&](bool at_once) {
        return detail::add_as_chosen<T>(lanes, alpha, a, beta, b, {}, {.counts_at_once = at_once});
    };
    hisparse<T> const c = sum(true), expected = sum(false);
    EXPECT_EQ(c.census().visits, expected.census().visits);
    EXPECT_EQ(c.census().entries, expected.census().entries);
    EXPECT_EQ(c.entry_count(), expected.entry_count());
    EXPECT_EQ(c.content()->reachable_bytes, expected.content()->reachable_bytes);
    EXPECT_EQ(c.content()->arenas.size(), expected.content()->arenas.size());
}

TEST(count_nodes, counts_as_nodes_are_made_what_a_walk_counts) {
    if (COPSE_THREAD_SANITIZER) GTEST_SKIP() << "one thread has nobody to race with";
    emulated lanes({.seed = 8});
    std::vector<pair_case> pairs = takes_all_cases ? all_pairs() : pairs_of_leaves();
    pairs.push_back({"deep nodes of one operand", scattered(5000, 300000, 3000, 6), scattered(5000, 300000, 30, 7)});
    // 33 entries in a block that both have, the same or others, and one in a block of each operand's own: the operands
    // are nodes over leaves, and the sum of three blocks a wide leaf or not.
    auto const crowd = [](int first_row, std::int32_t row, std::int32_t column) {
        coo<double> m = empty_matrix(4096, 4096);
        for (std::int32_t k = 0; k < 33; ++k) {
            m.rows.push_back(first_row + k % 30);
            m.columns.push_back(k / 30);
            m.values.push_back(1 + k);
        }
        m.rows.push_back(row);
        m.columns.push_back(column);
        m.values.push_back(-1);
        return m;
    };
    for (int first_row : {0, 32}) pairs.push_back({"few in a leaf", crowd(0, 5, 100), crowd(first_row, 200, 5)});
    for (pair_case const& p : some_of(pairs)) {
        SCOPED_TRACE(p.name);
        hisparse<double> const a = stored_as(host_memory(), to_csr(p.a), false, 64),
                               b = stored_as(host_memory(), to_csr(p.b), true, 64);
        check_counts(lanes, 1.0, a, 1.0, b);  // both operands' nodes may be shared, and none
        check_counts(lanes, 3.0, b, 2.0, a);
        if (HasFailure()) return;
    }
}

// Edits leave a node of leaves that a sum wants as a wide leaf: where C copies it, and where it has none beside it.
TEST(count_nodes, sees_wide_leaves_in_copies_of_edited_nodes) {
    emulated lanes({.seed = 9});
    coo<double> block = empty_matrix(8192, 8192);
    for (std::int32_t leaf : {0, 64})
        for (std::int32_t k = 0; k < 17; ++k) {
            block.rows.push_back(k);
            block.columns.push_back(leaf + k * k % 64);
            block.values.push_back(k);
        }
    coo<double> const below{8192, 8192, {5000}, {6000}, {1.0}};
    hisparse<double> const a =
        edit(stored_as(host_memory(), to_csr(block), false, 64), edits<double>().erase(1, 1).erase(2, 4).erase(3, 9));
    ASSERT_EQ(a.census().wide_leaves(), 0);
    ASSERT_EQ(a.entry_count(), 31);
    hisparse<double> const b = stored_as(host_memory(), to_csr(below), false, 64);
    check_counts(lanes, 3.0, a, 1.0, b);
    EXPECT_EQ(add(lanes, 3.0, a, 1.0, b).census().wide_leaves(), 1);
}

}  // namespace
}  // namespace copse::tests
