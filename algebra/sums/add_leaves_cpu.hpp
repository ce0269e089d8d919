// The union of two leaves, or blocks of wide leaves, on one core: what add_leaves.hpp does by lanes.
//
//   lists, streaks, wide leaves           by vectors (formats/leaves/leaf_union_cpu.hpp)
//   with dense leaves                   by rows, where it is known at once which entries there will be: one leaf has
//                                       all, or both have the same; otherwise by a set of bits, as lanes do it
#pragma once

#include <copse/algebra/sums/add_leaves.hpp>
#include <copse/formats/leaves/aligned_union_cpu.hpp>
#include <copse/formats/leaves/leaf_union_cpu.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace copse::detail {

/// Memory for a leaf, of which the offset is yet to be found.
template <class T, core_worker Worker>
std::byte* put_leaf(Worker& w, addition<T> const& sum, child_reference leaf, std::int64_t, std::int64_t bytes,
                    child_reference* result) {
    leaf_outbox& outbox = sum.outboxes[w.thread()];
    if (!outbox.fits(bytes) && !outbox.empty()) outbox.send(sum.nodes.memory, sum.nodes.reserve(w, outbox.used()));
    if (outbox.fits(bytes)) return outbox.add(leaf, bytes, result);
    std::uint64_t const offset = sum.nodes.reserve(w, bytes);
    *result = leaf.moved(offset);
    return sum.nodes.memory + offset;
}

/// Whether unite_sources() reads the operand's leaf.
template <class T>
bool is_source(leaf_operand const& operand) {
    return operand.count == 0 || with_kind(operand.reference.kind(), [](auto owner) {
               using view = decltype(owner.template view<T>(nullptr, child_reference(), 0));
               return leaf_source<T>::template can_take<view>;
           });
}
template <class T>
leaf_source<T> source_of(node_reader const& tree, leaf_operand const& operand, T factor) {
    leaf_source<T> source(factor);
    if (operand.count == 0) return source;
    source.pattern.ascending = !operand.reference.transposed();
    with_leaf<T>(tree, {operand.reference, 0, 0}, [&](auto const& leaf) {
        if constexpr (leaf_source<T>::template can_take<std::decay_t<decltype(leaf)>>)
            source.take(leaf, operand.first, operand.count);
    });
    return source;
}

/// The union of two operands of which is_source() holds.
template <class T, class Worker>
void unite_sources(Worker& w, addition<T> const& sum, leaf_operand const& a, leaf_operand const& b,
                   child_reference* result) {
    leaf_source<T> const from_a = source_of(sum.a.tree, a, sum.factor_of(0, a.reference)),
                         from_b = source_of(sum.b.tree, b, sum.factor_of(1, b.reference));
    leaf_pattern const patterns[] = {from_a.pattern, from_b.pattern};
    leaf_values<T> const values[] = {from_a.values, from_b.values};
    auto const fold = [&] {
        if (a.reference.values_once() && b.reference.values_once())
            sum.outboxes[w.thread()].template fold_last<value_word<T>>(sum.order().dimension_log2);
    };
    auto const write = [&](auto const& leaf, leaf_shape const& shape) {
        leaf.template write<T>(patterns, values, put_leaf(w, sum, shape, result));
        fold();
    };
    {
        aligned_union_memory memory;
        aligned_union_cpu leaf(memory, sum.order());
        bool const once[] = {from_a.values.streak_values.once(), from_b.values.streak_values.once()};
        if (leaf.takes(patterns, once)) return write(leaf, leaf.shape());
    }
    if (a.count + b.count <= few_entries) {
        small_union::storage memory;
        unite_small_leaves<T, leaf_kinds::wide>(w, sum, a, b, memory, result);
        return fold();
    }
    large_union_memory memory;
    large_union_cpu leaf(memory, sum.order());
    write(leaf, leaf.shape(patterns, sizeof(T)));
}

/// With dense leaves. By a set of bits full ones take 7 times as long, those of which one is transposed 3 times; lists
/// and streaks take twice as long by a set as by vectors.
template <class T>
class dense_union_cpu {
  public:
    dense_union_cpu(addition<T> const& sum, leaf_operand const& a, leaf_operand const& b)
        : sum_(sum), parts_{a, b}, d_(sum.a.tree.dimension()), full_{is_full(0), is_full(1)} {}

    /// Whether it does this one. Otherwise unite() must not be called.
    bool fits() const { return full_[0] || full_[1] || same_entries(); }

    template <class Worker>
    child_reference unite(Worker& w) const {
        leaf_shape const shape = dense_leaf::shape(full_[0] || full_[1] ? d_ * d_ : parts_[0].count);
        std::uint64_t const offset = sum_.nodes.reserve(w, dense_leaf::bytes(shape, d_, sizeof(T)));
        std::byte* const memory = sum_.nodes.memory + offset;
        T* const c = dense_leaf::values<T>(memory);
        if (!full_[0] && !full_[1])
            add_present(memory);
        else if (full_[0] && full_[1] && !is_transposed(0) && !is_transposed(1))
            add_full(c);
        else
            add_to_full(w, c);
        return sum_.reference(offset, shape);
    }

  private:
    bool is_dense(int side) const { return is_dense_leaf(parts_[side]); }
    bool is_full(int side) const { return is_dense(side) && parts_[side].count == d_ * d_; }
    bool is_transposed(int side) const { return leaf(side).transposed; }
    dense_leaf_view<T> leaf(int side) const {
        return sum_.side(side).tree.template dense_leaf<T>({parts_[side].reference, 0, 0});
    }
    T factor(int side) const { return sum_.factor_of(side, parts_[side].reference); }
    bool same_entries() const {
        if (!is_dense(0) || !is_dense(1) || parts_[0].count != parts_[1].count) return false;
        auto const a = leaf(0), b = leaf(1);
        return !a.transposed && !b.transposed &&
               std::memcmp(a.presence, b.presence, static_cast<std::size_t>(d_ * d_ / 8)) == 0;
    }

    void add_full(T* __restrict c) const {
        entry_values<T> const a = leaf(0).values, b = leaf(1).values;
        T const f = factor(0), g = factor(1);
        for (int i = 0; i < d_ * d_; ++i) c[i] = f * a[i] + g * b[i];
    }
    /// What is no entry is 0.
    void add_present(std::byte* memory) const {
        T* const c = dense_leaf::values<T>(memory);
        auto const a = leaf(0), b = leaf(1);
        T const f = factor(0), g = factor(1);
        for (int word = 0; word < d_ * d_ / 32; ++word) {
            std::uint32_t const bits = a.presence[word];
            for (int i = 32 * word; i < 32 * (word + 1); ++i)
                c[i] = (bits >> (i % 32) & 1) != 0 ? f * a.values[i] + g * b.values[i] : T(0);
        }
        std::memcpy(dense_leaf::presence<T>(memory, sum_.a.tree.dimension_log2()), a.presence,
                    static_cast<std::size_t>(d_ * d_ / 8));
    }
    /// The full one first, then what the other has.
    template <class Worker>
    void add_to_full(Worker& w, T* c) const {
        int const first = full_[0] ? 0 : 1, second = 1 - first;
        T const f = factor(first), g = factor(second);
        for_each_place(leaf(first), [&](int to, T v, int) { c[to] = f * v; });
        if (!is_dense(second))
            return visit_stored_entries<T, leaf_kinds::wide>(
                w, sum_.side(second).tree, parts_[second],
                [&](int, int row, int column, T v) { c[row * d_ + column] += g * v; });
        auto const other = leaf(second);
        if (full_[second]) return for_each_place(other, [&](int to, T v, int) { c[to] += g * v; });
        // -0 changes nothing; a branch on each bit takes three times as long where they are in no order.
        for_each_place(other, [&](int to, T v, int from) { c[to] += other.is_entry(from) ? g * v : T(-0.0); });
    }
    /// f(place in c, value, place in the leaf); by small squares where one of the two goes across.
    template <class F>
    void for_each_place(dense_leaf_view<T> const& from, F f) const {
        if (!from.transposed) {
            for (int i = 0; i < d_ * d_; ++i) f(i, from.values[i], i);
            return;
        }
        constexpr int square = 8;
        for (int i = 0; i < d_; i += square)
            for (int j = 0; j < d_; j += square)
                for (int r = i; r < i + square; ++r)
                    for (int s = j; s < j + square; ++s) f(r * d_ + s, from.values[s * d_ + r], s * d_ + r);
    }

    addition<T> const& sum_;
    leaf_operand parts_[2];
    int d_;
    bool full_[2];
};

template <class T, leaf_kinds Kinds, core_worker Worker>
void unite_small(Worker& w, addition<T> const& sum, leaf_operand const& a, leaf_operand const& b, small_union::storage&,
                 child_reference* result) {
    unite_sources<T>(w, sum, a, b, result);
}

template <class T, leaf_kinds Kinds, core_worker Worker>
void unite_large(Worker& w, addition<T> const& sum, leaf_operand const& a, leaf_operand const& b, std::byte* memory,
                 child_reference* result) {
    if (Kinds < leaf_kinds::dense || (is_source<T>(a) && is_source<T>(b)))
        return unite_sources<T>(w, sum, a, b, result);
    if (dense_union_cpu<T> const dense(sum, a, b); dense.fits())
        *result = dense.unite(w);
    else
        unite_by_set<T, Kinds>(w, sum, a, b, memory, result);
}

}  // namespace copse::detail
