// One step of an addition: two nodes that stand at the same place become one (hisparse §6).
//
// Where the paper sorts both nodes' coordinates together, a set of bits tells how many entries the union has and where
// each goes. So neither node needs to be sorted: a transposed operand is read as it is stored, and a leaf of any size
// fits the same few kilobytes on chip.
#pragma once

#include <copse/algebra/sums/add_dense_cpu.hpp>
#include <copse/algebra/sums/add_dense_leaves.hpp>
#include <copse/algebra/sums/addition.hpp>
#include <copse/formats/leaves/leaf_union.hpp>
#include <copse/formats/leaves/leaf_union_cpu.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace copse::detail {

/// Whether a union on the CPU reads a part's leaf.
template <class T>
bool is_source(leaf_part const& part) {
    return part.count == 0 || with_kind(part.reference.kind(), [](auto owner) {
               using view = decltype(owner.template view<T>(nullptr, child_reference(), 0));
               return leaf_source<T>::template can_take<view>;
           });
}
template <class T>
leaf_source<T> source_of(tree_view const& tree, leaf_part const& part, T factor) {
    leaf_source<T> source(factor);
    if (part.count == 0) return source;
    with_leaf<T>(tree, {part.reference, 0, 0}, [&](auto const& leaf) {
        if constexpr (leaf_source<T>::template can_take<std::decay_t<decltype(leaf)>>)
            source.take(leaf, part.first, part.count);
    });
    return source;
}

/// Memory for a leaf, of which the offset is yet to be found; `result` will refer to it.
template <class T, class Worker>
std::byte* place_leaf(Worker& w, addition<T> const& run, child_reference leaf, std::int64_t bytes,
                      child_reference* result) {
    leaf_outbox& outbox = run.outboxes[w.thread()];
    if (!outbox.fits(bytes) && !outbox.empty()) outbox.send(run.nodes.memory, run.nodes.reserve(w, outbox.used()));
    if (outbox.fits(bytes)) return outbox.add(leaf, bytes, result);
    std::uint64_t const offset = run.nodes.reserve(w, bytes);
    *result = leaf.moved(offset);
    return run.nodes.memory + offset;
}

/// A node of one operand becomes C's as it is.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void share(Worker& w, addition<T> const& run, child_reference from, bool of_a,
                                          child_reference* result) {
    *result = from;
    w.add(&run.taken[of_a ? 0 : 1], 1);
}

/// The union of two parts, of which is_source() holds.
template <class T, class Worker>
void unite_on_cpu(Worker& w, addition<T> const& run, leaf_part const& a, leaf_part const& b, child_reference* result) {
    leaf_source<T> const from_a = source_of(run.a.tree, a, run.a.factor),
                         from_b = source_of(run.b.tree, b, run.b.factor);
    leaf_pattern const patterns[] = {from_a.pattern, from_b.pattern};
    leaf_values<T> const values[] = {from_a.values, from_b.values};
    auto const unite = [&](auto& leaf) {
        leaf_shape const shape = leaf.shape(patterns, sizeof(T));
        std::byte* const node = place_leaf(w, run, run.reference(0, shape),
                                           leaf_bytes(shape, run.a.tree.dimension(), sizeof(T)), result);
        leaf.template write<T>(patterns, values, node);
    };
    if (small_union_cpu::fits(patterns)) {
        small_union_memory memory;
        small_union_cpu leaf(memory, run.order());
        return unite(leaf);
    }
    large_union_memory memory;
    large_union_cpu leaf(memory, run.order());
    return unite(leaf);
}

/// The union of two parts with at most small_leaf entries together, of leaves of some kinds. Collective.
template <class T, leaf_kinds Kinds, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void unite_small(Worker& w, addition<T> const& run, leaf_part const& a,
                                                      leaf_part const& b, small_union::storage& memory,
                                                      child_reference* result) {
    if constexpr (Worker::on_cpu) return unite_on_cpu<T>(w, run, a, b, result);
    leaf_order const order = run.order();
    small_union leaf(memory, order);
    for (int side = 0; side < 2; ++side) {
        int const before = side == 0 ? 0 : a.count;
        visit_part<T, Kinds, visited::positions>(w, run.side(side).tree, part_of(side, a, b), [&](int i, int r, int c) {
            leaf.set(before + i, order.position(r, c));
        });
    }
    w.sync();
    leaf_shape const shape = leaf.shape(w, a.count, a.count + b.count, sizeof(T));
    std::uint64_t const offset = run.nodes.reserve(w, leaf_bytes(shape, run.a.tree.dimension(), sizeof(T)));
    leaf_writer<T> const writer(run.nodes.memory + offset, shape, order);
    writer.prepare(w);
    leaf.write_runs(w, writer);
    for (int side = 0; side < 2; ++side) {
        int const before = side == 0 ? 0 : a.count;
        T const factor = run.side(side).factor;
        visit_part<T, Kinds>(w, run.side(side).tree, part_of(side, a, b), [&](int i, int, int, T v) {
            T& value = leaf.place(w, writer, before + i);
            value = leaf.has_partner(before + i) ? value + factor * v : factor * v;
        });
        w.sync();
    }
    if (w.rank() == 0) *result = run.reference(offset, shape);
}

/// The union of two parts of any size, of leaves of some kinds. `memory`: large_union::bytes(d). Collective.
template <class T, leaf_kinds Kinds, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void unite_large(Worker& w, addition<T> const& run, leaf_part const& a,
                                                      leaf_part const& b, std::byte* memory, child_reference* result) {
    if constexpr (Worker::on_cpu) {
        if (Kinds < leaf_kinds::dense || (is_source<T>(a) && is_source<T>(b)))
            return unite_on_cpu<T>(w, run, a, b, result);
        if (dense_union_cpu<T> const dense(run, a, b); dense.fits()) {
            *result = dense.unite(w);
            return;
        }
    } else if constexpr (Kinds == leaf_kinds::dense) {
        if (is_full_union(a, b, run.a.tree.dimension()))
            return add_dense_leaves(w, run, a.reference, b.reference, result);
    }
    leaf_order const order = run.order();
    large_union leaf(memory, order);
    leaf.clear(w);
    for (int side = 0; side < 2; ++side)
        visit_part<T, Kinds, visited::positions>(w, run.side(side).tree, part_of(side, a, b),
                                                 [&](int, int r, int c) { leaf.insert(w, order.position(r, c)); });
    w.sync();
    leaf_shape const shape = leaf.shape(w, sizeof(T));
    std::uint64_t const offset = run.nodes.reserve(w, leaf_bytes(shape, run.a.tree.dimension(), sizeof(T)));
    leaf_writer<T> const writer(run.nodes.memory + offset, shape, order);
    writer.prepare(w);
    leaf.write_runs(w, writer);
    writer.fill(w, T(-0.0));  // -0 + v is v for every v: neither side need know which entries the other has
    for (int side = 0; side < 2; ++side) {
        T const factor = run.side(side).factor;
        visit_part<T, Kinds>(w, run.side(side).tree, part_of(side, a, b), [&](int, int r, int c, T v) {
            leaf.place(w, writer, order.position(r, c)) += factor * v;
        });
        w.sync();
    }
    if (w.rank() == 0) *result = run.reference(offset, shape);
}

/// The union of the blocks of two nodes above the leaves (inner nodes or wide leaves), and what stands there in each.
/// Blocks are numbered row-major.
///
///   | header | parts of a [count] | parts of b [count] |      in temporary memory
class block_table {
  public:
    /// A leaf_part by its end: the lane that finds where a part of a wide leaf begins need not find where it ends.
    struct stored_part {
        child_reference reference;
        std::int32_t first;
        std::int32_t end;
        std::int32_t position;
        std::int32_t whole;  // 0 or 1; a bool would leave padding behind it, which nvcc stores around byte by byte
    };

    /// What comes before the parts.
    struct alignas(16) header {
        node_pair pair;
        child_reference node;  // the new one, once it is there
        std::int32_t* places;  // of two wide leaves: add_wide.hpp
        std::int32_t count;
        std::int32_t pending;  // ranges of blocks that are still to be counted

        COPSE_HOST_DEVICE stored_part& stored(int side, int index) {
            return reinterpret_cast<stored_part*>(this + 1)[side * count + index];
        }
        COPSE_HOST_DEVICE leaf_part part(int side, int index) {
            stored_part const& own = stored(side, index);
            return {own.reference, own.first, own.end - own.first, own.whole != 0, own.position};
        }
    };

    COPSE_HOST_DEVICE block_table(header* memory, position_set const& set)
        : count(memory->count), blocks(set), head(memory) {}

    COPSE_HOST_DEVICE static constexpr std::int64_t bytes(int count) {
        return static_cast<std::int64_t>(sizeof(header)) + 2 * count * static_cast<std::int64_t>(sizeof(stored_part));
    }
    COPSE_HOST_DEVICE leaf_part a(int index) const { return head->part(0, index); }
    COPSE_HOST_DEVICE leaf_part b(int index) const { return head->part(1, index); }

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

/// f(block, border) for entries from .. to - 1 of a wide leaf, as far as there are any, with which blocks begin or end; the
/// lanes share them. from and to: multiples of 4, or `to` is behind the last.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_block_borders(Worker& w, tree_view const& tree, child_reference reference,
                                                        int from, int to, F f) {
    int constexpr wide = 4, at_once = 2;  // coordinates in a load, which are padded to that; loads on their way
    int constexpr none = -1;
    auto const leaf = tree.template wide_leaf<T>({reference, 0, 0});
    int const log2 = tree.dimension_log2();
    auto const block = [&](int row, int column) { return (row >> log2) << log2 | column >> log2; };
    auto const block_of = [&](int i) { return i < 0 || i >= leaf.count ? none : block(leaf.rows[i], leaf.columns[i]); };
    if (to > leaf.count) to = leaf.count;
    COPSE_NO_UNROLL
    for (int first = from + wide * w.rank(); first < to; first += at_once * wide * w.size()) {
        int blocks[at_once][wide + 2];  // of the entry before, of each, of the entry behind
        COPSE_UNROLL
        for (int k = 0; k < at_once; ++k) {
            int const i = first + k * wide * w.size();
            COPSE_UNROLL
            for (int j = 0; j < wide + 2; ++j) blocks[k][j] = none;
            if (i >= to) continue;
            auto const rows = w.template load_vector<wide>(leaf.rows + i);
            auto const columns = w.template load_vector<wide>(leaf.columns + i);
            blocks[k][0] = block_of(i - 1);
            COPSE_UNROLL
            for (int j = 0; j < wide; ++j)
                if (i + j < leaf.count) {
                    auto const place = static_cast<std::size_t>(j);
                    blocks[k][j + 1] = block(rows[place], columns[place]);
                }
            blocks[k][wide + 1] = block_of(i + wide);
        }
        COPSE_UNROLL
        for (int k = 0; k < at_once; ++k) {
            COPSE_UNROLL
            for (int j = 1; j <= wide; ++j) {
                int const here = blocks[k][j], entry = first + k * wide * w.size() + j - 1;
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
COPSE_HOST_DEVICE COPSE_INLINE void visit_blocks(Worker& w, tree_view const& tree, child_reference reference, F f) {
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
COPSE_HOST_DEVICE COPSE_FORCE_INLINE block_table::header* begin_table(Worker& w, addition<T> const& run,
                                                                      node_pair const& pair, int count) {
    std::byte* const memory = run.begin_temporary(w, block_table::bytes(count));
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
COPSE_HOST_DEVICE COPSE_FORCE_INLINE block_table tabulate(Worker& w, addition<T> const& run, node_pair const& pair,
                                                          std::byte* memory) {
    position_set const blocks(memory, run.a.tree.dimension_log2());
    blocks.clear(w);
    for (int side = 0; side < 2; ++side)
        visit_blocks<T, Kinds>(w, run.side(side).tree, side == 0 ? pair.a : pair.b,
                               [&](int position, block_border const& border) {
                                   if (border.begins) blocks.insert(w, position);
                               });
    w.sync();
    block_table const table(begin_table(w, run, pair, blocks.count(w)), blocks);
    for (int side = 0; side < 2; ++side) {
        block_table::stored_part* const parts = &table.head->stored(side, 0);
        visit_blocks<T, Kinds>(w, run.side(side).tree, side == 0 ? pair.a : pair.b,
                               [&](int position, block_border const& border) {
                                   put_border(parts[blocks.index_of(position)], position, border);
                               });
    }
    w.sync();
    return table;
}

/// An inner node for `count` blocks, with its coordinates; references are null. Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE child_reference begin_inner_node(Worker& w, addition<T> const& run, position_set const& blocks,
                                                   int count, int level) {
    int const d = run.a.tree.dimension();
    node_kind const kind = smallest_inner(count, d);
    std::int64_t const bytes = inner_bytes(kind, count, d);
    std::uint64_t const offset = run.nodes.reserve(w, bytes);
    auto* const words = reinterpret_cast<std::uint64_t*>(run.nodes.memory + offset);
    for (std::int64_t i = w.rank(); i < bytes / 8; i += w.size()) words[i] = 0;
    w.sync();
    if (kind == node_kind::sparse) {
        std::int64_t const p = padded_entries(count);
        auto* const rows = reinterpret_cast<std::uint8_t*>(words + p);
        for_each_block(w, blocks, [&](int index, int position) {
            rows[index] = static_cast<std::uint8_t>(position >> run.a.tree.dimension_log2());
            rows[p + index] = static_cast<std::uint8_t>(position & (d - 1));
        });
    }
    return run.reference(offset, count, kind, level);
}

/// Where block `index` at `position` has its reference.
COPSE_HOST_DEVICE inline child_reference* slot_of(std::byte* memory, child_reference inner, int index, int position) {
    return reinterpret_cast<child_reference*>(memory + inner.offset()) +
           (inner.kind() == node_kind::dense ? position : index);
}

}  // namespace copse::detail
