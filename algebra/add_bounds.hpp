// What a sum needs at most, by the censuses of its operands: bytes of nodes and of temporary memory, and room in queues.
#pragma once

#include <algorithm>
#include <copse/algebra/add_tasks.hpp>
#include <copse/formats/node_census.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace copse::detail {

/// Bytes that always suffice for the nodes of a sum. A leaf of n entries never takes more than a coordinate list of n
/// (smallest_leaf), padding less than 64 bytes; leaves from parts of wide leaves take at most 16 bytes per entry (three
/// entries in 48), and so do the inner nodes above them.
template <class T>
std::int64_t node_bytes_bound(node_census const& a, node_census const& b) {
    std::int64_t bytes = 0;
    for (node_census const* c : {&a, &b})
        for (int level = 0; level < level_count; ++level)
            for (int kind = 0; kind < node_kind_count; ++kind) {
                auto const k = static_cast<node_kind>(kind);
                std::int64_t const visits = c->between(k, level, level);
                std::int64_t const entries =
                    c->entries[static_cast<std::size_t>(level)][static_cast<std::size_t>(kind)];
                std::int64_t const each = k == node_kind::wide ? 32 : level == 0 ? sizeof(T) + 2 : 10;
                bytes += 64 * visits + each * entries;
            }
    return bytes;
}

/// Bytes for all temporary memory of a sum. A pair of nodes above the leaves, of which each is one visit, takes a
/// table: at worst with an entry for every child and every entry of a wide leaf. Places of its blocks and of ranges of
/// them, to the next 16 bytes, come on top where both are wide leaves; or, instead of all that, what wide_union_cpu
/// wants. Ranges are smaller than most_in_range only where entries are four times as many as blocks. Where the sum of
/// two wide leaves is none, a table of its blocks has room too, behind the first or wide_union_cpu's: entries are more
/// than sixteen times as many as blocks, and 17 or more.
template <class T>
std::int64_t table_bytes_bound(node_census const& a, node_census const& b, std::int64_t dimension) {
    std::int64_t constexpr place = sizeof(std::int32_t);
    std::int64_t constexpr block = block_table::bytes(1) - block_table::bytes(0) + place;
    std::int64_t constexpr pair = std::max(block_table::bytes(0) + place + 16, wide_union_cpu<T>::bytes(0));
    std::int64_t constexpr on_cpu = wide_union_cpu<T>::bytes(1) - wide_union_cpu<T>::bytes(0);
    static_assert(on_cpu <= block);
    // n entries in fewer than n / wide_mean_in_leaf blocks: two tables, or what a CPU wants and one.
    std::int64_t constexpr least = wide_mean_in_leaf + 1;
    static_assert(block_table::bytes(0) + 2 * block <= (block - on_cpu) * least + pair - wide_union_cpu<T>::bytes(0));
    static_assert(child_reference::most_wide_entries >= wide_mean_in_leaf * 256 * 256);
    std::int64_t blocks = 0, pairs = std::numeric_limits<std::int64_t>::max();
    for (node_census const* c : {&a, &b}) {
        for (std::size_t level = 1; level < level_count; ++level)
            for (std::int64_t n : c->entries[level]) blocks += n;
        pairs =
            std::min(pairs, c->inner_nodes(node_kind::sparse) + c->inner_nodes(node_kind::dense) + c->wide_leaves());
    }
    // Of a pair with so many entries one leaf at least has half of them.
    std::int64_t marked = 0;
    for (node_census const* c : {&a, &b}) marked += c->between(node_kind::wide, 1, 1, wide_marks::most_by_one_task / 2);
    return block * blocks + place * (blocks / wide_places::most_in_range) + pair * pairs +
           wide_marks::bytes(dimension) * std::min(marked, pairs);
}

/// How often the tasks of a sum can be pushed at most.
struct addition_bounds {
    std::int64_t leaves, upper_nodes, inner_nodes;

    static addition_bounds of(node_census const& c) {
        std::int64_t const inner = c.inner_nodes(node_kind::sparse) + c.inner_nodes(node_kind::dense);
        return {c.leaves(node_kind::sparse) + c.leaves(node_kind::dense) + c.leaves(node_kind::diagonal),
                inner + c.wide_leaves(), inner};
    }
};

/// Room for all pairs of two trees: each is one visit to a node of both.
template <class T>
void reserve_pair_queues(run_options& options, node_census const& a, node_census const& b) {
    auto const pairs = [&](auto of_one) { return std::min<std::int64_t>(of_one(a), of_one(b)); };
    auto const either = [&](node_kind kind) { return a.leaves(kind) + b.leaves(kind); };
    auto const lists = [](std::int64_t up_to) {
        return [=](node_census const& c) { return c.leaves(node_kind::sparse, 0, up_to); };
    };
    auto const lists_and_runs = [](std::int64_t up_to) {
        return [=](node_census const& c) {
            return c.leaves(node_kind::sparse, 0, up_to) + c.leaves(node_kind::diagonal, 0, up_to);
        };
    };
    std::int64_t const any = child_reference::most_entries, with_runs = either(node_kind::diagonal);
    options.capacity<add_small_leaves<T, leaf_kinds::lists>>(pairs(lists(small_leaf)), 0, 0);
    options.capacity<add_small_leaves<T, leaf_kinds::runs>>(std::min(with_runs, pairs(lists_and_runs(small_leaf))), 0,
                                                            0);
    options.capacity<add_large_leaves<T, leaf_kinds::lists>>(pairs(lists(any)), 0, 0);
    options.capacity<add_large_leaves<T, leaf_kinds::runs>>(std::min(with_runs, pairs(lists_and_runs(any))), 0, 0);
    options.capacity<add_large_leaves<T, leaf_kinds::dense>>(
        std::min(either(node_kind::dense), pairs([](node_census const& c) { return addition_bounds::of(c).leaves; })),
        0, 0);
    std::int64_t const upper = pairs([](node_census const& c) { return addition_bounds::of(c).upper_nodes; });
    options.capacity<add_sparse_inner_nodes<T>>(
        pairs([](node_census const& c) { return c.inner_nodes(node_kind::sparse); }), 0, 0);
    options.capacity<add_dense_inner_nodes<T>>(
        std::min(a.inner_nodes(node_kind::dense) + b.inner_nodes(node_kind::dense),
                 pairs([](node_census const& c) { return addition_bounds::of(c).inner_nodes; })),
        0, 0);
    options.capacity<add_blocks_beside_wide<T>>(std::min(upper, a.wide_leaves() + b.wide_leaves()), 0, 0);
    options.capacity<add_parts<T>>(0, 0, std::min(upper, a.wide_leaves() + b.wide_leaves()));
    std::int64_t const wide = pairs([](node_census const& c) { return c.wide_leaves(); });
    options.capacity<add_wide_leaves<T>>(wide, 0, 0);
    options.capacity<mark_wide_blocks<T>>(0, 0, wide);
    options.capacity<tabulate_wide_blocks<T>>(0, 0, wide);
    options.capacity<count_wide_blocks<T>>(0, 0, wide);
    options.capacity<write_wide_blocks<T>>(0, 0, wide);
}

}  // namespace copse::detail
