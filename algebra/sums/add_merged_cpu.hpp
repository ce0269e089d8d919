// Two nodes over leaves whose sum is a wide leaf, or may be one, on one core: the entries of both are merged in the
// order of a wide leaf, and then tell what the rule has for them. Leaves are cut from the merged entries.
//
//   two wide leaves                            unite_wide            a wide leaf, or an inner node over leaves
//   a wide leaf, an inner node with no more    unite_few_with_wide   a wide leaf, or what follows
//   others with a table, where may_be_wide     unite_merged          as two wide leaves; what one operand has alone is
//                                                                    still shared
#pragma once

#include <copse/algebra/sums/add_wide_cpu.hpp>
#include <copse/algebra/sums/sum_twins.hpp>
#include <copse/formats/leaves/leaf_entries.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace copse::detail {

/// Whether the entries of its blocks leave it open that the sum of two nodes over leaves is a wide leaf: it has no
/// fewer in a block than either operand.
COPSE_HOST_DEVICE inline bool may_be_wide(block_table const& table) {
    std::int64_t least = 0;
    for (int i = 0; i < table.count; ++i) {
        int const of_a = table.a(i).count, of_b = table.b(i).count;
        least += of_a > of_b ? of_a : of_b;
    }
    return is_wide(least, table.count);
}

/// A list of merged entries.
template <class T, class Worker>
void write_merged_list(Worker& w, leaf_writer<T> const& writer, keyed_entries<T> const& entries) {
    writer.prepare(w);
    std::memcpy(writer.places().values, entries.values, static_cast<std::size_t>(entries.count) * sizeof(T));
    std::uint32_t const* const keys = entries.keys;
    std::uint8_t *const rows = writer.places().rows, *const columns = writer.places().columns;
    int const count = entries.count, log2 = writer.order().dimension_log2;
    auto const mask = static_cast<std::uint32_t>(writer.order().mask());
#pragma omp simd
    for (int i = 0; i < count; ++i) {
        std::uint32_t const key = keys[i];
        rows[i] = static_cast<std::uint8_t>(key & mask);
        columns[i] = static_cast<std::uint8_t>((key + (key >> log2)) & mask);
    }
}

/// A leaf of merged entries. `positions`: room for as many.
template <class T, class Worker>
void write_merged_leaf(Worker& w, addition<T> const& sum, keyed_entries<T> const& entries, std::uint16_t* positions,
                       child_reference* result) {
    leaf_order const order = sum.order();
    int const d = sum.a.tree.dimension(), n = entries.count;
    std::uint32_t const in_block = (1u << 2 * order.dimension_log2) - 1;
    auto const place = [&](leaf_shape const& shape) { return put_leaf(w, sum, shape, result); };
    // Keys that a streak has differ by one, though some that do are on two diagonals.
    int constexpr links = shortest_streak - 1;
    int streaks = 0;
#pragma omp simd reduction(+ : streaks)
    for (int i = links; i < n; ++i) streaks += entries.keys[i] - entries.keys[i - links] == links ? 1 : 0;
    leaf_shape const shape = smallest_leaf(n, 0, 0, d, sizeof(T));
    if (streaks == 0 && shape.kind == sparse_leaf::kind)
        return write_merged_list(w, leaf_writer<T>(place(shape), shape, order), entries);
    for (int i = 0; i < n; ++i) positions[i] = static_cast<std::uint16_t>(entries.keys[i] & in_block);
    leaf_workspace workspace;
    auto const count = static_cast<std::size_t>(n);
    assemble_leaf<T>(workspace, order, {{positions, count}, {entries.values, count}}, place);
}

/// Leaves of merged entries and the node above them. shared(inner, index, position, slot): whether a block's reference
/// is in its slot of that node already.
template <class T, class Worker, class Shared>
void write_merged_leaves(Worker& w, addition<T> const& sum, wide_union_cpu<T>& merger, keyed_entries<T> const& merged,
                         position_set const& blocks, int count, child_reference* result, Shared shared) {
    child_reference const inner = begin_inner_node(w, sum, blocks, count, 1);
    *result = inner;
    std::uint16_t* const positions = merger.positions(merged.count);
    int const shift = 2 * sum.order().dimension_log2;
    int begin = 0;
    blocks.for_each(w, [&](int index, int position) {
        int end = begin;
        while (end < merged.count && static_cast<int>(merged.keys[end] >> shift) == position) ++end;
        child_reference* const slot = &sum.writer_of(inner).reference(index, position);
        if (!shared(inner, index, position, slot))
            write_merged_leaf<T>(w, sum, {merged.keys + begin, merged.values + begin, end - begin}, positions, slot);
        begin = end;
    });
}

template <class T, class Worker>
void write_merged_wide(Worker& w, addition<T> const& sum, wide_union_cpu<T> const& merger, int entries,
                       child_reference* result) {
    merger.write(entries, put_leaf(w, sum, wide_leaf::shape(entries), result));
}

/// Two wide leaves. `memory`: position_set::bytes(d).
template <class T, core_worker Worker>
void unite_wide(Worker& w, addition<T> const& sum, sum_pair const& pair, std::byte* memory) {
    auto const leaf_a = sum.a.tree.template wide_leaf<T>({pair.a, 0, 0});
    auto const leaf_b = sum.b.tree.template wide_leaf<T>({pair.b, 0, 0});
    wide_union_cpu<T> merger(
        sum.begin_temporary(w, wide_union_cpu<T>::bytes(std::int64_t{leaf_a.count} + leaf_b.count)), sum.order());
    keyed_entries<T> const from_a = merger.read(leaf_a, pair.a.transposed());
    keyed_entries<T> const from_b = merger.read(leaf_b, pair.b.transposed());
    keyed_entries<T> const merged = merger.merge(from_a, sum.factor_of(0, pair.a), from_b, sum.factor_of(1, pair.b));
    if (merger.stays_wide(merged.count)) return write_merged_wide(w, sum, merger, merged.count, pair.result);
    position_set const blocks(memory, sum.order().dimension_log2);
    blocks.clear(w);
    int const shift = 2 * sum.order().dimension_log2;
    for (int i = 0; i < merged.count; ++i) blocks.insert(w, static_cast<int>(merged.keys[i] >> shift));
    write_merged_leaves(w, sum, merger, merged, blocks, blocks.count(w), pair.result,
                        [](child_reference, int, int, child_reference*) { return false; });
}

/// A wide leaf and an inner node that has no more entries, where the sum is a wide leaf; false, and nothing, for
/// others. A table of the wide leaf's blocks would take longer than this.
template <class T, core_worker Worker>
bool unite_few_with_wide(Worker& w, addition<T> const& sum, sum_pair const& pair) {
    int const wide = pair.a.is_wide_leaf() ? 0 : 1, d = sum.a.tree.dimension();
    child_reference const few = wide == 0 ? pair.b : pair.a;
    node_reader const& tree = sum.side(1 - wide).tree;
    if (few.transposed()) return false;  // its children do not come in the order of their blocks
    auto const for_each_leaf = [&](auto f) {
        visit_blocks<T, upper_kinds::inner>(w, tree, few, [&](int position, block_border const& leaf) {
            f(leaf_operand{leaf.reference, 0, leaf.end, position});
        });
    };
    std::int64_t entries = 0;
    for_each_leaf([&](leaf_operand const& leaf) { entries += leaf.count; });
    child_reference const reference = wide == 0 ? pair.a : pair.b;
    auto const leaf = sum.side(wide).tree.template wide_leaf<T>({reference, 0, 0});
    if (entries > leaf.count || !stays_wide(leaf.count + entries, std::int64_t{d} * d)) return false;
    wide_union_cpu<T> merger(sum.begin_temporary(w, wide_union_cpu<T>::bytes(leaf.count + entries)), sum.order());
    keyed_entries<T> const many = merger.read(leaf, reference.transposed());
    keyed_entries<T> const others = merger.read(w, tree, static_cast<int>(entries), for_each_leaf);
    keyed_entries<T> const merged =
        merger.merge(many, sum.factor_of(wide, reference), others, sum.side(1 - wide).factor);
    if (!merger.stays_wide(merged.count)) return false;
    write_merged_wide(w, sum, merger, merged.count, pair.result);
    return true;
}

/// Two nodes with a table of their blocks, where they are over leaves and may_be_wide; false, and nothing, for others.
template <class T, core_worker Worker>
bool unite_merged(Worker& w, addition<T> const& sum, sum_pair const& pair, block_table const& table) {
    if (pair.a.level() != 1 || !may_be_wide(table)) return false;
    int entries[2] = {0, 0};
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < table.count; ++i) entries[side] += table.head->operand(side, i).count;
    auto* const memory = reinterpret_cast<std::byte*>(table.head) + align_node(block_table::bytes(table.count));
    wide_union_cpu<T> merger(memory, sum.order());
    auto const read = [&](int side) -> keyed_entries<T> {
        child_reference const reference = side == 0 ? pair.a : pair.b;
        node_reader const& tree = sum.side(side).tree;
        if (reference.is_wide_leaf())
            return merger.read(tree.template wide_leaf<T>({reference, 0, 0}), reference.transposed());
        return merger.read(w, tree, entries[side], [&](auto f) {
            for (int i = 0; i < table.count; ++i)
                if (leaf_operand const leaf = table.head->operand(side, i); leaf.count > 0) f(leaf);
        });
    };
    // Entries of leaves have their leaves' signs.
    auto const factor = [&](int side) {
        child_reference const reference = side == 0 ? pair.a : pair.b;
        return reference.is_wide_leaf() ? sum.factor_of(side, reference) : sum.side(side).factor;
    };
    keyed_entries<T> const from_a = read(0), from_b = read(1);
    keyed_entries<T> const merged = merger.merge(from_a, factor(0), from_b, factor(1));
    if (is_wide(merged.count, table.count)) {
        write_merged_wide(w, sum, merger, merged.count, pair.result);
        return true;
    }
    write_merged_leaves(w, sum, merger, merged, table.blocks, table.count, pair.result,
                        [&](child_reference inner, int index, int position, child_reference* slot) {
                            *slot = twin_of_block(table, inner, index, position, sum.order().dimension_log2);
                            if (*slot) {
                                count_twins(w, sum, 1);
                                return true;
                            }
                            leaf_operand const a = table.a(index), b = table.b(index);
                            bool const of_a = static_cast<bool>(a.reference);
                            if (of_a && b.reference) return false;
                            leaf_operand const& only = of_a ? a : b;
                            if (only.reference.is_block_of_wide() || !sum.side(of_a ? 0 : 1).shared) return false;
                            share(w, sum, only.reference, of_a, slot);
                            return true;
                        });
    return true;
}

}  // namespace copse::detail
