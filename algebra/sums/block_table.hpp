// Two nodes above the leaves (inner nodes or wide leaves) that stand at the same place: which blocks they have
// together, and the inner node over these.
#pragma once

#include <copse/algebra/sums/addition.hpp>
#include <copse/formats/leaves/position_set.hpp>
#include <copse/formats/tree/inner_node_writer.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// The union of the blocks of two nodes above the leaves (inner nodes or wide leaves), and what stands there in each.
/// Blocks are numbered row-major.
///
///   | header | parts of a [count] | parts of b [count] |      in temporary memory
class block_table {
  public:
    /// A leaf_operand by its end: the lane that finds where a part of a wide leaf begins need not find where it ends.
    struct stored_part {
        child_reference reference;
        std::int32_t first;
        std::int32_t end;
        std::int32_t position;
        std::int32_t whole;  // 0 or 1; a bool would leave padding behind it, which nvcc stores around byte by byte

        COPSE_HOST_DEVICE bool is_part() const { return reference && whole == 0; }
    };

    /// What comes before the parts.
    struct alignas(16) header {
        sum_pair pair;
        child_reference node;  // the new one, once it is there
        std::int32_t* places;  // of two wide leaves: add_wide.hpp
        std::int32_t count;
        std::int32_t pending;  // ranges of blocks that are still to be counted

        COPSE_HOST_DEVICE stored_part& stored(int side, int index) {
            return reinterpret_cast<stored_part*>(this + 1)[side * count + index];
        }
        COPSE_HOST_DEVICE leaf_operand part(int side, int index) {
            stored_part const& own = stored(side, index);
            return {own.reference, own.first, own.end - own.first, own.whole != 0, own.position};
        }
    };

    COPSE_HOST_DEVICE block_table(header* memory, position_set const& set)
        : count(memory->count), blocks(set), head(memory) {}

    COPSE_HOST_DEVICE static constexpr std::int64_t bytes(int count) {
        return static_cast<std::int64_t>(sizeof(header)) + 2 * count * static_cast<std::int64_t>(sizeof(stored_part));
    }
    COPSE_HOST_DEVICE leaf_operand a(int index) const { return head->part(0, index); }
    COPSE_HOST_DEVICE leaf_operand b(int index) const { return head->part(1, index); }

    int count;
    position_set blocks;  // row-major positions
    header* head;
};

/// f(index, position) for counted blocks; the lanes share them.
template <class Worker, class F>
COPSE_HOST_DEVICE void for_each_block(Worker& w, position_set const& blocks, F f) {
    for (int i = w.rank(); i < blocks.words(); i += w.size()) {
        int index = blocks.index_of(64 * i);
        for (std::uint64_t rest = blocks.word(i); rest != 0; rest &= rest - 1) f(index++, 64 * i + lowest_bit(rest));
    }
}

/// What an entry of a wide leaf says of its block, or a child of an inner node of itself: where the block begins in the
/// node, where it ends, or both.
struct block_border {
    child_reference reference;
    std::int32_t first;
    std::int32_t end;
    bool begins;
    bool ends;
    bool whole;
};

/// f(block, border) for entries from .. to - 1 of a wide leaf, as far as there are any, with which blocks begin or end;
/// the lanes share them. from and to: multiples of 4, or `to` is behind the last.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_block_borders(Worker& w, node_reader const& tree, child_reference reference,
                                                        int from, int to, F f) {
    int constexpr values_per_load = 4,
                  at_once = 2;  // coordinates in a load, which are padded to that; loads on their way
    int constexpr none = -1;
    auto const leaf = tree.template wide_leaf<T>({reference, 0, 0});
    int const log2 = tree.dimension_log2();
    auto const block = [&](int row, int column) { return (row >> log2) << log2 | column >> log2; };
    auto const block_of = [&](int i) { return i < 0 || i >= leaf.count ? none : block(leaf.rows[i], leaf.columns[i]); };
    if (to > leaf.count) to = leaf.count;
    COPSE_NO_UNROLL
    for (int first = from + values_per_load * w.rank(); first < to; first += at_once * values_per_load * w.size()) {
        int blocks[at_once][values_per_load + 2];  // of the entry before, of each, of the entry behind
        COPSE_UNROLL
        for (int k = 0; k < at_once; ++k) {
            int const i = first + k * values_per_load * w.size();
            COPSE_UNROLL
            for (int j = 0; j < values_per_load + 2; ++j) blocks[k][j] = none;
            if (i >= to) continue;
            auto const rows = w.template load_vector<values_per_load>(leaf.rows + i);
            auto const columns = w.template load_vector<values_per_load>(leaf.columns + i);
            blocks[k][0] = block_of(i - 1);
            COPSE_UNROLL
            for (int j = 0; j < values_per_load; ++j)
                if (i + j < leaf.count) {
                    auto const place = static_cast<std::size_t>(j);
                    blocks[k][j + 1] = block(rows[place], columns[place]);
                }
            blocks[k][values_per_load + 1] = block_of(i + values_per_load);
        }
        COPSE_UNROLL
        for (int k = 0; k < at_once; ++k) {
            COPSE_UNROLL
            for (int j = 1; j <= values_per_load; ++j) {
                int const here = blocks[k][j], entry = first + k * values_per_load * w.size() + j - 1;
                bool const begins = here != blocks[k][j - 1], ends = here != blocks[k][j + 1];
                if (here != none && (begins || ends))
                    f(here, block_border{reference, entry, entry + 1, begins, ends, false});
            }
        }
    }
}

/// Which nodes above the leaves a function is compiled for.
enum class upper_kinds { inner, wide, any };

/// f(position, border): the blocks of a node, shared by the lanes; one lane may have where a block begins, and another
/// where it ends.
template <class T, upper_kinds Kinds, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_blocks(Worker& w, node_reader const& tree, child_reference reference, F f) {
    node const n{reference, 0, 0};
    if (Kinds == upper_kinds::wide || (Kinds == upper_kinds::any && reference.is_wide_leaf()))
        return visit_block_borders<T>(w, tree, reference, 0, tree.wide_count(n), f);
    int const log2 = tree.dimension_log2(), shift = log2 * reference.level();
    for (int i = w.rank(); i < tree.child_count(n); i += w.size())
        if (node const child = tree.child(n, i))
            f(static_cast<int>((child.row >> shift) << log2 | child.column >> shift),
              block_border{child.reference, 0, child.reference.entries(), true, true, true});
}

/// A table without parts in it. Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE block_table::header* begin_table(Worker& w, addition<T> const& sum,
                                                                      sum_pair const& pair, int count) {
    std::byte* const memory = sum.begin_temporary(w, block_table::bytes(count));
    auto* const head = reinterpret_cast<block_table::header*>(memory);
    if (w.rank() == 0) *head = {pair, {}, nullptr, count, 0};
    w.sync();
    for (int i = w.rank(); i < 2 * count; i += w.size()) head->stored(0, i) = block_table::stored_part{};
    w.sync();
    return head;
}

/// What a border says, in the part of its block.
COPSE_HOST_DEVICE COPSE_INLINE void put_border(block_table::stored_part& part, int position,
                                               block_border const& border) {
    if (border.begins) {
        part.reference = border.reference;
        part.first = border.first;
        part.position = position;
        part.whole = border.whole;
    }
    if (border.ends) part.end = border.end;
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
        block_table::stored_part* const parts = &table.head->stored(side, 0);
        visit_blocks<T, Kinds>(w, sum.side(side).tree, side == 0 ? pair.a : pair.b,
                               [&](int position, block_border const& border) {
                                   put_border(parts[blocks.index_of(position)], position, border);
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
    std::uint64_t const offset = sum.nodes.reserve(w, inner_bytes(kind, count, d));
    inner_node_writer const writer(sum.nodes.memory + offset, kind, count, sum.a.tree.dimension_log2());
    writer.prepare(w);
    for_each_block(w, blocks, [&](int index, int position) { writer.place(index, position); });
    return sum.reference(offset, count, kind, level);
}

/// Where block `index` at `position` has its reference.
COPSE_HOST_DEVICE inline child_reference* slot_of(std::byte* memory, child_reference inner, int index, int position) {
    return reinterpret_cast<child_reference*>(memory + inner.offset()) +
           (inner.kind() == node_kind::dense ? position : index);
}

}  // namespace copse::detail
