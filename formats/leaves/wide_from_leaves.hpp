// A wide leaf from leaves of d x d that stand side by side: where the rule wants one in the place of an inner node.
#pragma once

#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

// f(row, column, count, values): entries along a diagonal, coordinates as op(A) has them.

template <class T, class F>
COPSE_HOST_DEVICE void visit_diagonal_runs(sparse_leaf_view<T> const& leaf, F f) {
    COPSE_NO_UNROLL
    for (int i = 0; i < leaf.count; ++i) f(leaf.rows[i], leaf.columns[i], 1, leaf.values.from(i));
}
template <class T, class F>
COPSE_HOST_DEVICE void visit_diagonal_runs(diagonal_leaf_view<T> const& leaf, F f) {
    visit_diagonal_runs(leaf.others, f);
    COPSE_NO_UNROLL
    for (leaf_streak<T> const streak : leaf.each_streak()) f(streak.row, streak.column, streak.count, streak.values);
}
template <class T>
COPSE_HOST_DEVICE int diagonal_runs(sparse_leaf_view<T> const& leaf) {
    return leaf.count;
}
template <class T>
COPSE_HOST_DEVICE int diagonal_runs(diagonal_leaf_view<T> const& leaf) {
    return leaf.others.count + leaf.streaks.count;
}

/// f(i, row, column, value) for the entries of a leaf of d x d, as op(A) has them but for its scale: i of the leaf's
/// are before the entry in leaf_order. By one lane.
template <class T, class F>
COPSE_HOST_DEVICE void for_each_with_place(std::byte const* memory, child_reference leaf, leaf_order order, F f) {
    value_sign<T> const sign(leaf);
    bool const flip = leaf.transposed();
    with_kind<leaf_kinds::dense>(leaf.kind(), [&](auto owner) {
        auto const view = owner.template view<T>(memory, leaf, order.dimension_log2);
        if constexpr (requires { diagonal_runs(view); }) {
            bool const in_order = decltype(owner)::kind == sparse_leaf::kind && !flip;
            if (in_order || diagonal_runs(view) <= 1 << order.dimension_log2) {
                int given = 0;
                visit_diagonal_runs(view, [&](int row, int column, int count, entry_values<T> const& values) {
                    int before = 0;
                    if (!in_order)
                        visit_diagonal_runs(view, [&](int r, int c, int n, entry_values<T> const&) {
                            before += order.position(r, c) < order.position(row, column) ? n : 0;
                        });
                    else
                        before = given++;
                    COPSE_NO_UNROLL
                    for (int i = 0; i < count; ++i) f(before + i, row + i, column + i, sign(values[i]));
                });
                return;
            }
        }
        // Seldom: such leaves are large, and stand beside hardly filled ones.
        entry_cursor at;
        int before = 0;
        COPSE_NO_UNROLL
        for (int position = 0; position < 1 << (2 * order.dimension_log2); ++position) {
            int const row = order.row(position), column = order.column(position);
            if (T const* const value = find_entry(view, order, flip, row, column, at))
                f(before++, row, column, sign(*value));
        }
    });
}

/// Writes all entries of `slots` leaves, which are `entries`, to `memory`, wide_leaf::bytes(). child(slot): the leaf,
/// which may be none, and where it stands in the wide leaf, in row-major order; called once for each slot. address(r):
/// where it is stored. Collective; child and address are not.
template <class T, class Worker, class Child, class Address>
COPSE_HOST_DEVICE COPSE_INLINE void write_wide_of_leaves(Worker& w, std::byte* memory, std::int64_t entries,
                                                         leaf_order order, int slots, Child child, Address address) {
    if (w.rank() == 0) wide_leaf_writer<T>::prepare(memory, entries);
    wide_leaf_writer<T> const writer(memory, entries);
    int first = 0;
    COPSE_NO_UNROLL
    for (int begin = 0; begin < slots; begin += w.size()) {
        int const slot = begin + w.rank();
        node const leaf = slot < slots ? child(slot) : node{};
        int const own = leaf ? leaf.reference.entries() : 0;
        int const through = first + w.inclusive_scan(own, [](int a, int b) { return a + b; });
        if (leaf)
            for_each_with_place<T>(address(leaf.reference), leaf.reference, order,
                                   [&](int i, int row, int column, T value) {
                                       writer.put(through - own + i, static_cast<int>(leaf.row) | row,
                                                  static_cast<int>(leaf.column) | column, value);
                                   });
        first = w.shuffle(through, w.size() - 1);
    }
}

}  // namespace copse::detail
