// The union of two leaves, or blocks of wide leaves, that stand at the same place, by lanes that work together
// (hisparse §6). add_leaves_cpu.hpp has the same functions for one core.
//
// Where the paper sorts both nodes' coordinates together, a set of bits tells how many entries the union has and where
// each goes. So neither node needs to be sorted: a transposed operand is read as it is stored, and a leaf of any size
// fits the same few kilobytes on chip. Of two dense leaves of which one has all d x d entries the sum is known at once.
#pragma once

#include <array>
#include <copse/algebra/sums/addition.hpp>
#include <copse/algebra/sums/sum_counts.hpp>
#include <copse/formats/leaves/leaf_union.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Memory for a leaf of `entries` entries. `result` will refer to it. Collective.
template <class T, lanes_worker Worker>
COPSE_HOST_DEVICE COPSE_INLINE std::byte* put_leaf(Worker& w, addition<T> const& sum, child_reference leaf,
                                                   std::int64_t entries, std::int64_t bytes, child_reference* result) {
    std::uint64_t const offset = sum.nodes.reserve(w, bytes);
    if (w.rank() == 0) {
        *result = leaf.moved(offset);
        count_node(w, sum, leaf, entries);
    }
    return sum.nodes.memory + offset;
}

/// Memory for a leaf of this shape.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE std::byte* put_leaf(Worker& w, addition<T> const& sum, leaf_shape const& shape,
                                                   child_reference* result) {
    return put_leaf(w, sum, sum.reference(0, shape), shape.entries,
                    leaf_bytes(shape, sum.a.tree.dimension(), sizeof(T)), result);
}

/// The union of two operands with at most small_leaf entries together, of leaves of some kinds. Collective.
template <class T, leaf_kinds Kinds, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void unite_small_leaves(Worker& w, addition<T> const& sum, leaf_operand const& a,
                                                             leaf_operand const& b, small_union::storage& memory,
                                                             child_reference* result) {
    leaf_order const order = sum.order();
    small_union leaf(memory, order);
    for (int side = 0; side < 2; ++side) {
        int const before = side == 0 ? 0 : a.count;
        visit_stored_entries<T, Kinds, visited::positions>(
            w, sum.side(side).tree, operand_of(side, a, b),
            [&](int i, int r, int c) { leaf.set(before + i, order.position(r, c)); });
    }
    w.sync();
    leaf_shape const shape = leaf.shape(w, a.count, a.count + b.count, sizeof(T));
    leaf_writer<T> const writer(put_leaf(w, sum, shape, result), shape, order);
    writer.prepare(w);
    leaf.write_streaks(w, writer);
    for (int side = 0; side < 2; ++side) {
        int const before = side == 0 ? 0 : a.count;
        T const factor = sum.factor_of(side, operand_of(side, a, b).reference);
        visit_stored_entries<T, Kinds>(w, sum.side(side).tree, operand_of(side, a, b), [&](int i, int, int, T v) {
            T& value = leaf.place(w, writer, before + i);
            value = leaf.has_partner(before + i) ? value + factor * v : factor * v;
        });
        w.sync();
    }
}

template <class T, leaf_kinds Kinds, lanes_worker Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void unite_small(Worker& w, addition<T> const& sum, leaf_operand const& a,
                                                      leaf_operand const& b, small_union::storage& memory,
                                                      child_reference* result) {
    unite_small_leaves<T, Kinds>(w, sum, a, b, memory, result);
}

COPSE_HOST_DEVICE inline bool is_dense_leaf(leaf_operand const& operand) {
    return operand.count > 0 && operand.reference.kind() == dense_leaf::kind;
}

/// Whether add_dense_leaves does this pair.
COPSE_HOST_DEVICE inline bool is_full_union(leaf_operand const& a, leaf_operand const& b, int dimension) {
    int const full = dimension * dimension;
    return is_dense_leaf(a) && is_dense_leaf(b) && (a.count == full || b.count == full);
}

/// What a dense leaf adds to places k .. k + N - 1 of the union, k a multiple of N: -0, which changes nothing, where it
/// has no entry.
template <int N, class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE std::array<T, N> dense_addends(Worker& w, dense_leaf_view<T> const& leaf, T factor,
                                                              int k) {
    int const log2 = leaf.dimension_log2, mask = (1 << log2) - 1;
    std::array<T, N> addends;
    if (leaf.transposed) {
        COPSE_UNROLL
        for (int j = 0; j < N; ++j) {  // the next rows want what else is in these lines: they may stay
            int const place = ((k + j) & mask) << log2 | (k + j) >> log2;
            T const value = *in_global_memory(leaf.values.at(place));
            addends[static_cast<std::size_t>(j)] = leaf.is_entry(place) ? factor * value : T(-0.0);
        }
    } else {
        std::array<T, N> const values = w.template load_stream_vector<N>(leaf.values.at(k));
        std::uint32_t const entries = leaf.entries_from(k);
        COPSE_UNROLL
        for (std::size_t j = 0; j < N; ++j) addends[j] = (entries >> j & 1) != 0 ? factor * values[j] : T(-0.0);
    }
    return addends;
}

/// Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void add_dense_leaves(Worker& w, addition<T> const& sum, child_reference a,
                                                           child_reference b, child_reference* result) {
    int constexpr values_per_load = static_cast<int>(16 / sizeof(T)), at_once = 2;
    static_assert(64 * 64 % (at_once * values_per_load * Worker::size()) == 0);  // of every d x d
    int const places = 1 << (2 * sum.a.tree.dimension_log2());
    auto const of_a = sum.a.tree.template dense_leaf<T>({a, 0, 0}), of_b = sum.b.tree.template dense_leaf<T>({b, 0, 0});
    T const factor_a = sum.factor_of(0, a), factor_b = sum.factor_of(1, b);
    leaf_shape const shape = dense_leaf::shape(places);
    T* const c = dense_leaf::values<T>(put_leaf(w, sum, shape, result));
    COPSE_NO_UNROLL
    for (int first = values_per_load * w.rank(); first < places; first += at_once * values_per_load * w.size()) {
        std::array<T, values_per_load> sums[at_once];
        COPSE_UNROLL
        for (int i = 0; i < at_once; ++i) {
            int const k = first + i * values_per_load * w.size();
            sums[i] = dense_addends<values_per_load>(w, of_a, factor_a, k);
            std::array<T, values_per_load> const more = dense_addends<values_per_load>(w, of_b, factor_b, k);
            COPSE_UNROLL
            for (std::size_t j = 0; j < values_per_load; ++j) sums[i][j] += more[j];
        }
        COPSE_UNROLL
        for (int i = 0; i < at_once; ++i) w.store_vector(c + first + i * values_per_load * w.size(), sums[i]);
    }
    w.sync();
}

/// How a leaf's streaks come into a set of bits. entries: a lane sets the bit of one entry at a time. words: a lane
/// sets all bits of a streak, a word at a time.
enum class streak_bits_by { entries, words };

/// Of an operand, each entry; or each entry that is in no streak, and each streak.
template <class T, leaf_kinds Kinds, streak_bits_by Way, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void insert_operand(Worker& w, node_reader const& tree, leaf_operand const& operand,
                                                   large_union const& to) {
    leaf_order const order = tree.order();
    auto const insert = [&](int, int r, int c) { to.insert(w, order.position(r & order.mask(), c & order.mask())); };
    node const leaf{operand.reference, 0, 0};
    if (operand.count == 0) return;
    if constexpr (Way == streak_bits_by::entries) {
        visit_stored_entries<T, visited::positions, Kinds>(w, tree, leaf, operand.first, operand.count, insert);
    } else {
        leaf_stretch<T> const list = with_leaf<T, Kinds>(
            tree, leaf, [&](auto const& view) { return stretch_of(view, operand.first, operand.count); });
        visit_stretch<visited::positions, Kinds>(w, list, order.dimension_log2, insert);
        if (Kinds == leaf_kinds::sparse || operand.reference.kind() != diagonal_leaf::kind) return;
        streak_list const streaks = tree.template diagonal_leaf<T>(leaf).streaks;
        for (int k = w.rank(); k < streaks.count; k += w.size())
            to.insert_streak(w, order.position(streaks.row(k), streaks.column(k)), streaks.length(k));
    }
}

/// The union of two operands of any size by a set of bits. `memory`: large_union::bytes(d). Collective.
template <class T, leaf_kinds Kinds, streak_bits_by Way = streak_bits_by::entries, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void unite_by_set(Worker& w, addition<T> const& sum, leaf_operand const& a,
                                                       leaf_operand const& b, std::byte* memory,
                                                       child_reference* result) {
    leaf_order const order = sum.order();
    large_union leaf(memory, order);
    leaf.clear(w);
    for (int side = 0; side < 2; ++side)
        insert_operand<T, Kinds, Way>(w, sum.side(side).tree, operand_of(side, a, b), leaf);
    w.sync();
    leaf_shape const shape = leaf.shape(w, sizeof(T));
    leaf_writer<T> const writer(put_leaf(w, sum, shape, result), shape, order);
    writer.prepare(w);
    leaf.write_streaks(w, writer);
    writer.fill(w, T(-0.0));  // -0 + v is v for every v: neither side need know which entries the other has
    for (int side = 0; side < 2; ++side) {
        T const factor = sum.factor_of(side, operand_of(side, a, b).reference);
        visit_stored_entries<T, Kinds>(w, sum.side(side).tree, operand_of(side, a, b), [&](int, int r, int c, T v) {
            leaf.place(w, writer, order.position(r, c)) += factor * v;
        });
        w.sync();
    }
}

/// The union of two operands of any size, of leaves of some kinds. `memory`: large_union::bytes(d). Collective.
template <class T, leaf_kinds Kinds, streak_bits_by Way = streak_bits_by::entries, lanes_worker Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void unite_large(Worker& w, addition<T> const& sum, leaf_operand const& a,
                                                      leaf_operand const& b, std::byte* memory,
                                                      child_reference* result) {
    if constexpr (Kinds == leaf_kinds::dense)
        if (is_full_union(a, b, sum.a.tree.dimension()))
            return add_dense_leaves(w, sum, a.reference, b.reference, result);
    unite_by_set<T, Kinds, Way>(w, sum, a, b, memory, result);
}

}  // namespace copse::detail
