// The blocks of a node above the leaves, of which one level below has a node each: the children of an inner node, the
// blocks of a wide leaf. What walks of two trees (node_pairs.hpp), nodes that tasks open (tree_writer.hpp) and sums of
// matrices (algebra/sums/block_table.hpp) go down by.
//
// A block is named by the wide leaf's reference, at level 0.
#pragma once

#include <copse/formats/node.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

COPSE_HOST_DEVICE inline child_reference block_reference(child_reference wide) {
    return child_reference(wide.arena(), wide.offset(), wide.entries(), wide.kind(), 0, wide.values_once())
        .seen_through(wide);
}
/// `below`: what stands in row `row` and column `column` of the blocks of `above`.
COPSE_HOST_DEVICE inline node node_in_block(node_reader const& tree, node above, child_reference below, int row,
                                            int column) {
    int const shift = tree.dimension_log2() * above.reference.level();
    return {below, above.row + (static_cast<std::uint32_t>(row) << shift),
            above.column + (static_cast<std::uint32_t>(column) << shift)};
}
/// What a wide leaf has in the block of d x d in a row and a column of its blocks.
COPSE_HOST_DEVICE inline node block_of_wide(node_reader const& tree, node wide, int row, int column) {
    return node_in_block(tree, wide, block_reference(wide.reference), row, column);
}

/// The child of an inner node, or the block of a wide leaf, in a row and a column of the node's d x d blocks; false if
/// there is none.
template <class T>
COPSE_HOST_DEVICE node child_or_block(node_reader const& tree, node n, int row, int column) {
    if (!n) return {};
    if (!n.reference.is_wide_leaf()) return tree.child_at(n, row, column);
    node const block = block_of_wide(tree, n, row, column);
    return numbers_of<T>(tree, block).count > 0 ? block : node{};
}

/// What an entry of a wide leaf says of its block, or a child of an inner node of itself: where the block begins in the
/// node, where it ends, or both.
struct block_border {
    child_reference reference;  // the child, or the block
    std::int32_t first;         // entry
    std::int32_t end;
    bool begins;
    bool ends;
};

/// f(position of the block, row-major, border) for entries from .. to - 1 of a wide leaf, as far as there are any, with
/// which blocks begin or end; the lanes share them. One core calls f once for each block. from and to: multiples of 4.
template <class T, lanes_worker Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_block_borders(Worker& w, node_reader const& tree, child_reference wide,
                                                        int from, int to, F f) {
    int constexpr values_per_load = 4, at_once = 2;  // coordinates, padded to that, in a load; loads on their way
    int constexpr position_bits = 16;
    auto const leaf = tree.template wide_leaf<T>({wide, 0, 0});
    child_reference const named = block_reference(wide);
    int const log2 = tree.dimension_log2();
    auto const block = [&](int row, int column) { return (row >> log2) << log2 | column >> log2; };
    auto const block_of = [&](int i) { return i < 0 || i >= leaf.count ? -1 : block(leaf.rows[i], leaf.columns[i]); };
    if (to > leaf.count) to = leaf.count;
    COPSE_NO_UNROLL
    for (int first = from + values_per_load * w.rank(); first < to; first += at_once * values_per_load * w.size()) {
        std::uint64_t blocks[at_once] = {};
        std::uint32_t begins = 0, ends = 0;  // a bit for each of these entries
        COPSE_UNROLL
        for (int k = 0; k < at_once; ++k) {
            int const i = first + k * values_per_load * w.size();
            if (i >= to) continue;
            auto const rows = w.template load_vector<values_per_load>(leaf.rows + i);
            auto const columns = w.template load_vector<values_per_load>(leaf.columns + i);
            int before = block_of(i - 1);
            COPSE_UNROLL
            for (int j = 0; j <= values_per_load; ++j) {
                int const bit = values_per_load * k + j;
                int here = -1;
                if (j == values_per_load)
                    here = block_of(i + j);
                else if (i + j < leaf.count)
                    here = block(rows[static_cast<std::size_t>(j)], columns[static_cast<std::size_t>(j)]);
                if (here != before && j > 0 && before >= 0) ends |= 1u << (bit - 1);
                if (here != before && j < values_per_load && here >= 0) begins |= 1u << bit;
                if (j < values_per_load)
                    blocks[k] |= static_cast<std::uint64_t>(here & ((1 << position_bits) - 1)) << (position_bits * j);
                before = here;
            }
        }
        COPSE_NO_UNROLL
        for (std::uint32_t borders = begins | ends; borders != 0; borders &= borders - 1) {
            int const bit = lowest_bit(borders), j = bit % values_per_load;
            int const entry = first + bit / values_per_load * values_per_load * w.size() + j;
            auto const position = static_cast<int>(
                (bit < values_per_load ? blocks[0] : blocks[1]) >> (position_bits * j) & ((1 << position_bits) - 1));
            f(position, block_border{named, entry, entry + 1, (begins >> bit & 1) != 0, (ends >> bit & 1) != 0});
        }
    }
}

template <class T, core_worker Worker, class F>
COPSE_INLINE void visit_block_borders(Worker&, node_reader const& tree, child_reference wide, int from, int to, F f) {
    auto const leaf = tree.template wide_leaf<T>({wide, 0, 0});
    child_reference const named = block_reference(wide);
    int const log2 = tree.dimension_log2();
    if (to > leaf.count) to = leaf.count;
    for (int first = from, end = from; first < to; first = end) {
        int const position = leaf.block(first, log2);
        while (++end < to && leaf.block(end, log2) == position) continue;
        bool const begins = first > from || first == 0 || leaf.block(first - 1, log2) != position;
        bool const ends = end < to || end == leaf.count || leaf.block(end, log2) != position;
        f(position, block_border{named, first, end, begins, ends});
    }
}

/// Which nodes above the leaves a function is compiled for.
enum class upper_kinds { inner, wide, any };

/// f(position, border) for the blocks of a node, shared by the lanes. One lane may have where a block begins, and
/// another where it ends.
template <class T, upper_kinds Kinds, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_blocks(Worker& w, node_reader const& tree, child_reference reference, F f) {
    if (Kinds == upper_kinds::wide || (Kinds == upper_kinds::any && reference.is_wide_leaf()))
        return visit_block_borders<T>(w, tree, reference, 0, child_reference::most_wide_entries, f);
    node const n{reference, 0, 0};
    int const log2 = tree.dimension_log2(), shift = log2 * reference.level();
    for (int i = w.rank(); i < tree.child_count(n); i += w.size())
        if (node const child = tree.child(n, i))
            f(static_cast<int>((child.row >> shift) << log2 | child.column >> shift),
              block_border{child.reference, 0, child.reference.entries(), true, true});
}

/// f(child or block, row, column) for the blocks of a node; the lanes share them.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE void for_each_child_or_block(Worker& w, node_reader const& tree, node n, F f) {
    if (!n) return;
    int const log2 = tree.dimension_log2(), mask = tree.dimension() - 1;
    visit_blocks<T, upper_kinds::any>(w, tree, n.reference, [&](int position, block_border const& border) {
        int const row = position >> log2, column = position & mask;
        if (border.begins) f(node_in_block(tree, n, border.reference, row, column), row, column);
    });
}

}  // namespace copse::detail
