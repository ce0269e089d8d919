// Unions with dense leaves on one core, where it is known at once which entries there will be: one leaf has all, or both
// have the same. Rows instead of entries; the rest is large_union's.
#pragma once

#include <copse/algebra/sums/addition.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <cstdint>
#include <cstring>

namespace copse::detail {

template <class T>
class dense_union_cpu {
  public:
    dense_union_cpu(addition<T> const& run, leaf_part const& a, leaf_part const& b)
        : run_(run), parts_{a, b}, d_(run.a.tree.dimension()), full_{is_full(0), is_full(1)} {}

    /// Whether it does this one. Otherwise unite() must not be called.
    bool fits() const { return full_[0] || full_[1] || same_entries(); }

    template <class Worker>
    child_reference unite(Worker& w) const {
        leaf_shape const shape = dense_leaf::shape(full_[0] || full_[1] ? d_ * d_ : parts_[0].count);
        std::uint64_t const offset = run_.nodes.reserve(w, dense_leaf::bytes(shape, d_, sizeof(T)));
        std::byte* const memory = run_.nodes.memory + offset;
        T* const c = dense_leaf::values<T>(memory);
        if (!full_[0] && !full_[1])
            add_present(memory);
        else if (full_[0] && full_[1] && !is_transposed(0) && !is_transposed(1))
            add_full(c);
        else
            add_to_full(w, c);
        return run_.reference(offset, shape);
    }

  private:
    bool is_dense(int side) const {
        return parts_[side].count > 0 && parts_[side].reference.kind() == dense_leaf::kind;
    }
    bool is_full(int side) const { return is_dense(side) && parts_[side].count == d_ * d_; }
    bool is_transposed(int side) const { return leaf(side).transposed; }
    dense_leaf_view<T> leaf(int side) const {
        return run_.side(side).tree.template dense_leaf<T>({parts_[side].reference, 0, 0});
    }
    bool same_entries() const {
        if (!is_dense(0) || !is_dense(1) || parts_[0].count != parts_[1].count) return false;
        auto const a = leaf(0), b = leaf(1);
        return !a.transposed && !b.transposed &&
               std::memcmp(a.presence, b.presence, static_cast<std::size_t>(d_ * d_ / 8)) == 0;
    }

    void add_full(T* __restrict c) const {
        T const *a = leaf(0).values, *b = leaf(1).values;
        T const f = run_.a.factor, g = run_.b.factor;
        for (int i = 0; i < d_ * d_; ++i) c[i] = f * a[i] + g * b[i];
    }
    /// What is no entry is 0.
    void add_present(std::byte* memory) const {
        T* const c = dense_leaf::values<T>(memory);
        auto const a = leaf(0), b = leaf(1);
        T const f = run_.a.factor, g = run_.b.factor;
        for (int word = 0; word < d_ * d_ / 32; ++word) {
            std::uint32_t const bits = a.presence[word];
            for (int i = 32 * word; i < 32 * (word + 1); ++i)
                c[i] = (bits >> (i % 32) & 1) != 0 ? f * a.values[i] + g * b.values[i] : T(0);
        }
        std::memcpy(dense_leaf::presence<T>(memory, run_.a.tree.dimension_log2()), a.presence, static_cast<std::size_t>(d_ * d_ / 8));
    }
    /// The full one first, then what the other has.
    template <class Worker>
    void add_to_full(Worker& w, T* c) const {
        int const first = full_[0] ? 0 : 1, second = 1 - first;
        T const f = run_.side(first).factor, g = run_.side(second).factor;
        for_each_place(leaf(first), [&](int to, T v, int) { c[to] = f * v; });
        if (!is_dense(second))
            return visit_part<T, leaf_kinds::wide>(
                w, run_.side(second).tree, parts_[second],
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

    addition<T> const& run_;
    leaf_part parts_[2];
    int d_;
    bool full_[2];
};

}  // namespace copse::detail
