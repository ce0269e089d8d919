// What a sum needs at most, by the censuses of its operands: bytes of nodes and of temporary memory, and room in
// queues.
#pragma once

#include <algorithm>
#include <copse/algebra/sums/add_tasks.hpp>
#include <copse/formats/node_census.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Entries (children) of the `count` largest nodes above the leaves, of the kinds for which is_counted(kind), where
/// none counts for more than `most`: no fewer than they have.
template <class Counted>
std::int64_t entries_of_largest(node_census const& c, std::int64_t count, Counted is_counted,
                                std::int64_t most = child_reference::most_wide_entries) {
    std::int64_t entries = 0;
    for (std::size_t k = size_class_count; k-- > 0 && count > 0;)
        for (std::size_t level = 1; level < level_count; ++level)
            for (std::size_t kind = 0; kind < node_kind_count; ++kind) {
                if (!is_counted(static_cast<node_kind>(kind))) continue;
                std::int64_t const taken = std::min(count, c.visits[level][kind][k]);
                entries += taken * std::min(most, std::int64_t{1} << k);
                count -= taken;
            }
    return entries;
}

/// Entries of wide leaves of one operand that stand beside inner nodes of the other.
inline std::int64_t wide_entries_beside_inner(node_census const& c, node_census const& other) {
    std::int64_t const inner = other.between(node_kind::sparse, 1, 1) + other.between(node_kind::dense, 1, 1);
    return std::min(c.wide_entries(),
                    entries_of_largest(c, inner, [](node_kind kind) { return kind == node_kind::wide; }));
}

/// Bytes that always suffice for the nodes of a sum. A leaf of n entries never takes more than a coordinate list of n
/// (smallest_leaf) with less than 40 bytes of padding, an inner node 10 for each child, and each has 64 for its
/// padding. Then, T being the bytes of a value, nodes over leaves with n entries together take for each entry
///
///   T + 2   as leaves of their own, where each stands for a leaf of an operand
///   T + 4   as a wide leaf: n is at most 16 times the blocks. Where these are all leaves of an operand, of 64 bytes
///           each besides T + 2, that is more
///   T + 5   where two wide leaves become leaves: n is more than 16 times the blocks, of at most 48 bytes each besides
///   26      from a wide leaf beside an inner node, with the place in the node above: 16 bytes for a leaf of one. As a
///           wide leaf, each entry of the node's leaves wants 2 more than it has; as n is at most 16 times the blocks,
///           that is no more than 32 for each entry of the wide leaf beside 74 for each of the node's leaves
template <class T>
std::int64_t node_bytes_bound(node_census const& a, node_census const& b) {
    std::int64_t constexpr in_leaf = sizeof(T) + 2, wide = sizeof(T) + 5, in_part = 26;
    std::int64_t const beside_inner = wide_entries_beside_inner(a, b) + wide_entries_beside_inner(b, a);
    std::int64_t in_leaves = 0;
    for (node_census const* c : {&a, &b}) in_leaves += c->leaf_entries() - c->wide_entries();
    std::int64_t bytes =
        (in_part - wide) * beside_inner + std::min((wide - 1 + 32 - in_part) * beside_inner, 2 * in_leaves);
    for (node_census const* c : {&a, &b})
        for (int level = 0; level < level_count; ++level)
            for (int kind = 0; kind < node_kind_count; ++kind) {
                auto const k = static_cast<node_kind>(kind);
                std::int64_t const visits = c->between(k, level, level);
                std::int64_t const entries =
                    c->entries[static_cast<std::size_t>(level)][static_cast<std::size_t>(kind)];
                std::int64_t const each = k == node_kind::wide ? wide : level == 0 ? in_leaf : 10;
                bytes += 64 * visits + each * entries;
            }
    return bytes;
}

/// Bytes that one thread of a CPU needs at most for a pair of nodes: a table of their blocks, and behind it what
/// merging takes. Where others than two wide leaves are merged, the greater of what both have in a block is
/// wide_mean_in_leaf on average at most, or, without a table, all entries are at most wide_mean_in_leaf times the
/// blocks that there can be, and twice those of the wide leaf.
template <class T>
std::int64_t workspace_bytes_bound(node_census const& a, node_census const& b, std::int64_t dimension) {
    auto const most = [&](auto is_counted) {
        return entries_of_largest(a, 1, is_counted) + entries_of_largest(b, 1, is_counted);
    };
    std::int64_t const blocks = std::min(dimension * dimension, most([](node_kind) { return true; }));
    std::int64_t const wide = most([](node_kind kind) { return kind == node_kind::wide; });
    std::int64_t const in_leaves = a.leaf_entries() - a.wide_entries() + b.leaf_entries() - b.wide_entries();
    std::int64_t const merged = std::max(wide, std::min(2 * wide_mean_in_leaf * blocks, wide + in_leaves));
    std::int64_t const bytes =
        align_node(block_table::bytes(static_cast<int>(blocks))) + wide_union_cpu<T>::bytes(merged);
    return (bytes + 63) / 64 * 64;  // what threads write lies in lines of their own
}

/// Bytes for all temporary memory of a sum in lanes. A pair of nodes above the leaves, of which each is one visit,
/// takes a table: at worst with an entry for every child and every entry of a wide leaf. Places of its blocks and of
/// ranges of them, to the next 16 bytes, come on top where both are wide leaves. Ranges are smaller than most_in_range
/// only where entries are four times as many as blocks. Where the sum of two wide leaves is none, a table of its blocks
/// has room too, behind the first: entries are more than sixteen times as many as blocks, and 17 or more. So a node
/// never asks for more than twice as many blocks as it may have.
template <class T>
std::int64_t table_bytes_bound(node_census const& a, node_census const& b, std::int64_t dimension) {
    std::int64_t constexpr place = sizeof(std::int32_t);
    std::int64_t constexpr block = block_table::bytes(1) - block_table::bytes(0) + place;
    std::int64_t constexpr pair = block_table::bytes(0) + place + 16;
    // Two tables, with n entries in fewer than n / wide_mean_in_leaf blocks, and with half of twice as many blocks as
    // there can be.
    static_assert(block_table::bytes(0) + 2 * block <= block * (wide_mean_in_leaf + 1));
    static_assert(block_table::bytes(0) + place * 64 * 64 / wide_places::least_in_range <= place * 64 * 64);
    static_assert(child_reference::most_wide_entries >= wide_mean_in_leaf * 256 * 256);
    auto const upper = [](node_census const& c) { return c.inner_nodes() + c.wide_leaves(); };
    std::int64_t const pairs = std::min(upper(a), upper(b)), most = 2 * dimension * dimension;
    // Of a pair with so many entries one leaf at least has half of them.
    std::int64_t blocks = 0, marked = 0;
    for (node_census const* c : {&a, &b}) {
        std::int64_t entries = 0;
        for (std::size_t level = 1; level < level_count; ++level)
            for (std::int64_t n : c->entries[level]) entries += n;
        blocks += std::min(entries, entries_of_largest(
                                        *c, pairs, [](node_kind) { return true; }, most));
        marked += c->between(node_kind::wide, 1, 1, wide_marks::most_by_one_task / 2);
    }
    return block * blocks + place * (blocks / wide_places::most_in_range) + pair * pairs +
           wide_marks::bytes(dimension) * std::min(marked, pairs);
}

/// How often the tasks of a sum can be pushed at most.
struct addition_bounds {
    std::int64_t leaves, upper_nodes, inner_nodes;

    static addition_bounds of(node_census const& c) {
        std::int64_t const inner = c.inner_nodes();
        return {c.leaves(), inner + c.wide_leaves(), inner};
    }
};

/// Room for pairs of which one is a wide leaf, for what they are taken apart into, and for ranges of wide leaves'
/// blocks. (Other queues have room by what their tasks take.) Each pair is one visit to a node of both trees.
template <class T>
void reserve_wide_queues(run_options& options, node_census const& a, node_census const& b) {
    std::int64_t const upper = std::min(addition_bounds::of(a).upper_nodes, addition_bounds::of(b).upper_nodes);
    std::int64_t const beside = std::min(upper, a.wide_leaves() + b.wide_leaves());
    std::int64_t const wide = std::min(a.wide_leaves(), b.wide_leaves());
    options.capacity<add_blocks_beside_wide<T>>(beside, 0, 0);
    options.capacity<add_parts<T>>(0, 0, beside);
    options.capacity<add_wide_leaves<T>>(wide, 0, 0);
    options.capacity<mark_wide_blocks<T>>(0, 0, wide);
    options.capacity<tabulate_wide_blocks<T>>(0, 0, wide);
    options.capacity<count_wide_blocks<T>>(0, 0, wide);
    options.capacity<write_wide_blocks<T>>(0, 0, wide);
}

}  // namespace copse::detail
