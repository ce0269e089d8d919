// The census of a sum, where nodes have more entries below them than 32 bits count.
#include <gtest/gtest.h>

#include <copse/algebra/sums/add_run.hpp>
#include <copse/formats/from_rows/tree_plan.hpp>
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

}  // namespace
}  // namespace copse::tests
