// Two nodes above the leaves (inner nodes or wide leaves) that stand at the same place: which blocks they have
// together, and the inner node over these.
#pragma once

#include <copse/algebra/sums/addition.hpp>
#include <copse/formats/leaves/position_set.hpp>
#include <copse/formats/tree/node_blocks.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// The union of the blocks of two nodes above the leaves (inner nodes or wide leaves), and what stands there in each.
/// Blocks are numbered row-major.
///
///   | header | of a [count] | of b [count] |                  in temporary memory
class block_table {
  public:
    /// A leaf_operand by its end: the lane that finds where a block of a wide leaf begins need not find where it ends.
    struct stored_operand {
        child_reference reference;
        std::int32_t first;
        std::int32_t end;
        std::int32_t position;
        std::int32_t unused;  // without it there is padding, which nvcc stores around byte by byte
    };

    /// What comes before the operands.
    struct alignas(16) header {
        sum_pair pair;
        child_reference node;  // the new one, once it is there
        std::int32_t* places;  // of two wide leaves: add_wide.hpp
        std::int32_t count;
        std::int32_t pending;  // ranges of blocks that are still to be counted

        COPSE_HOST_DEVICE stored_operand& stored(int side, int index) {
            return reinterpret_cast<stored_operand*>(this + 1)[side * count + index];
        }
        COPSE_HOST_DEVICE leaf_operand operand(int side, int index) {
            stored_operand const& own = stored(side, index);
            return {own.reference, own.first, own.end - own.first, own.position};
        }
    };

    COPSE_HOST_DEVICE block_table(header* memory, position_set const& set)
        : count(memory->count), blocks(set), head(memory) {}

    COPSE_HOST_DEVICE static constexpr std::int64_t bytes(int count) {
        return static_cast<std::int64_t>(sizeof(header)) +
               2 * count * static_cast<std::int64_t>(sizeof(stored_operand));
    }
    COPSE_HOST_DEVICE leaf_operand a(int index) const { return head->operand(0, index); }
    COPSE_HOST_DEVICE leaf_operand b(int index) const { return head->operand(1, index); }

    int count;
    position_set blocks;  // row-major positions
    header* head;
};

/// A table without operands in it. Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE block_table::header* begin_table(Worker& w, addition<T> const& sum,
                                                                      sum_pair const& pair, int count) {
    std::byte* const memory = sum.begin_temporary(w, block_table::bytes(count));
    auto* const head = reinterpret_cast<block_table::header*>(memory);
    if (w.rank() == 0) *head = {pair, {}, nullptr, count, 0};
    w.sync();
    for (int i = w.rank(); i < 2 * count; i += w.size()) head->stored(0, i) = block_table::stored_operand{};
    w.sync();
    return head;
}

/// What a border says, in the operand of its block.
COPSE_HOST_DEVICE COPSE_INLINE void put_border(block_table::stored_operand& operand, int position,
                                               block_border const& border) {
    if (border.begins) {
        operand.reference = border.reference;
        operand.first = border.first;
        operand.position = position;
    }
    if (border.ends) operand.end = border.end;
}

/// Collective. `memory`: position_set::bytes(d), shared by the lanes.
template <class T, upper_kinds Kinds, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE block_table tabulate(Worker& w, addition<T> const& sum, sum_pair const& pair,
                                                          std::byte* memory) {
    position_set const blocks(memory, sum.a.tree.dimension_log2());
    blocks.clear(w);
    for (int side = 0; side < 2; ++side)
        visit_blocks<T, Kinds>(w, sum.side(side).tree, side == 0 ? pair.a : pair.b,
                               [&](int position, block_border const& border) {
                                   if (border.begins) blocks.insert(w, position);
                               });
    w.sync();
    block_table const table(begin_table(w, sum, pair, blocks.count(w)), blocks);
    for (int side = 0; side < 2; ++side) {
        block_table::stored_operand* const operands = &table.head->stored(side, 0);
        visit_blocks<T, Kinds>(w, sum.side(side).tree, side == 0 ? pair.a : pair.b,
                               [&](int position, block_border const& border) {
                                   put_border(operands[blocks.index_of(position)], position, border);
                               });
    }
    w.sync();
    return table;
}

/// An inner node for `count` blocks, with its coordinates; references are null. Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE child_reference begin_inner_node(Worker& w, addition<T> const& sum, position_set const& blocks,
                                                   int count, int level) {
    int const d = sum.a.tree.dimension();
    node_kind const kind = smallest_inner(count, d);
    child_reference const inner = sum.reference(sum.nodes.reserve(w, inner_bytes(kind, count, d)), count, kind, level);
    inner_node_writer const writer = sum.writer_of(inner);
    writer.prepare(w);
    blocks.for_each(w, [&](int index, int position) { writer.place(index, position); });
    return inner;
}

}  // namespace copse::detail
