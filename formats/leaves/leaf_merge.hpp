// The entries of two leaves of one kind that are stored the same way round, together, by one lane.
//
// merge_leaves<Both>(a, part of a, b, part of b, order, flip, f) calls f(row, column, in_a, in_b) for the places where
// both have an entry, without Both for those where one has: where the values are, null where there is none. flip:
// whether rows are stored as columns. Returns false, and has called nothing, for leaves with streaks in other places.
#pragma once

#include <copse/formats/leaves/dense_leaf.hpp>
#include <copse/formats/leaves/diagonal_leaf.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/sparse_leaf.hpp>
#include <copse/formats/leaves/wide_leaf.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <limits>

namespace copse::detail {

/// Entries first .. last - 1 of two lists whose keys ascend.
template <bool Both, class View, class KeyOf, class F>
COPSE_HOST_DEVICE COPSE_INLINE void merge_lists(View const& a, wide_part of_a, View const& b, wide_part of_b,
                                                KeyOf key_of, F f) {
    using key = decltype(key_of(0, 0));
    int i = of_a.first, j = of_b.first;
    auto const key_at = [&](View const& list, int k, int last) {
        return Both || k < last ? key_of(list.rows[k], list.columns[k]) : std::numeric_limits<key>::max();
    };
    while (Both ? i < of_a.last && j < of_b.last : i < of_a.last || j < of_b.last) {
        key const in_a = key_at(a, i, of_a.last), in_b = key_at(b, j, of_b.last);
        bool const a_has = in_a <= in_b, b_has = in_b <= in_a;
        if (!Both || (a_has && b_has))
            f(a_has ? a.rows[i] : b.rows[j], a_has ? a.columns[i] : b.columns[j], a_has ? a.values.at(i) : nullptr,
              b_has ? b.values.at(j) : nullptr);
        i += a_has ? 1 : 0;
        j += b_has ? 1 : 0;
    }
}

template <bool Both, class T, class Part, class F>
COPSE_HOST_DEVICE COPSE_INLINE bool merge_leaves(sparse_leaf_view<T> const& a, Part, sparse_leaf_view<T> const& b, Part,
                                                 leaf_order order, bool flip, F f) {
    merge_lists<Both>(
        a, {0, a.count}, b, {0, b.count},
        [&](int row, int column) { return flip ? order.position(column, row) : order.position(row, column); }, f);
    return true;
}

template <bool Both, class T, class Part, class F>
COPSE_HOST_DEVICE COPSE_INLINE bool merge_leaves(wide_leaf_view<T> const& a, Part of_a, wide_leaf_view<T> const& b,
                                                 Part of_b, leaf_order order, bool flip, F f) {
    merge_lists<Both>(
        a, {of_a.first, of_a.first + of_a.count}, b, {of_b.first, of_b.first + of_b.count},
        [&](int row, int column) { return wide_key(order, flip, row, column); }, f);
    return true;
}

template <bool Both, class T, class Part, class F>
COPSE_HOST_DEVICE COPSE_INLINE bool merge_leaves(dense_leaf_view<T> const& a, Part, dense_leaf_view<T> const& b, Part,
                                                 leaf_order order, bool flip, F f) {
    int const log2 = order.dimension_log2;
    for (int i = 0; i < 1 << (2 * log2); ++i) {
        bool const in_a = a.is_entry(i), in_b = b.is_entry(i);
        if (Both ? !(in_a && in_b) : !(in_a || in_b)) continue;
        int const row = i >> log2, column = i & order.mask();
        f(flip ? column : row, flip ? row : column, in_a ? a.values.at(i) : nullptr, in_b ? b.values.at(i) : nullptr);
    }
    return true;
}

COPSE_HOST_DEVICE inline bool are_alike(streak_list const& a, streak_list const& b) {
    if (a.count != b.count) return false;
    for (int k = 0; k < a.count; ++k)
        if (a.row(k) != b.row(k) || a.column(k) != b.column(k) || a.length(k) != b.length(k)) return false;
    return true;
}
template <bool Both, class T, class Part, class F>
COPSE_HOST_DEVICE COPSE_INLINE bool merge_leaves(diagonal_leaf_view<T> const& a, Part part,
                                                 diagonal_leaf_view<T> const& b, Part, leaf_order order, bool flip,
                                                 F f) {
    if (!are_alike(a.streaks, b.streaks)) return false;
    merge_leaves<Both>(a.others, part, b.others, part, order, flip, f);
    auto in_b = b.each_streak().begin();
    for (leaf_streak<T> const streak : a.each_streak()) {
        entry_values<T> const values_b = (*in_b).values;
        for (int i = 0; i < streak.count; ++i)
            f(streak.row + i, streak.column + i, streak.values.at(i), values_b.at(i));
        ++in_b;
    }
    return true;
}

/// Step k of a merge of two wide leaves, neither of them stored transposed. Each entry is a step: what comes next in
/// each leaf, and which of them have an entry there. The second step of a place that both have is in neither.
struct merge_step {
    int number = -2;  // follows none
    int a = 0;
    int b = 0;
    bool in_a = false;
    bool in_b = false;
};
/// before: any step, or none; that of number k - 1 is followed at once, others are searched for.
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE merge_step merge_step_at(wide_leaf_view<T> const& a, wide_leaf_view<T> const& b,
                                                        leaf_order order, merge_step before, int k) {
    auto const key_of = [&](wide_leaf_view<T> const& list, int i) {
        return i < list.count ? wide_key(order, false, list.rows[i], list.columns[i])
                              : std::numeric_limits<std::int64_t>::max();
    };
    int i = 0;  // of A's entries before the step; those of A come first where both have one
    if (k > 0 && before.number == k - 1) {
        i = before.a + (before.in_a ? 1 : 0);
    } else {
        int last = k < a.count ? k : a.count;
        i = k > b.count ? k - b.count : 0;
        while (i < last) {
            int const middle = (i + last) / 2;
            if (key_of(a, middle) <= key_of(b, k - 1 - middle))
                i = middle + 1;
            else
                last = middle;
        }
    }
    int const j = k - i;
    std::int64_t const in_a = key_of(a, i), in_b = key_of(b, j);
    if (in_a <= in_b) return {k, i, j, true, in_a == in_b};
    return {k, i, j, false, i == 0 || key_of(a, i - 1) != in_b};
}

}  // namespace copse::detail
