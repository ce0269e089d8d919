// The entries of two leaves of one kind that are stored the same way round, together, by one lane.
//
// merge_leaves<Both>(a, numbers of a, b, numbers of b, order, flip, f) calls f(row, column, in_a, in_b) for the places
// where both have an entry, without Both for those where one has: where the values are, null where there is none. flip:
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
COPSE_HOST_DEVICE COPSE_INLINE void merge_lists(View const& a, entry_bounds of_a, View const& b, entry_bounds of_b,
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

/// Keys of a list's next entries, found by a loop that the compiler makes vectors of.
template <class View, class KeyOf>
class key_window {
  public:
    static constexpr int size = 256;

    key_window(View const& list, entry_bounds bounds, KeyOf key_of)
        : list_(list), begin_(bounds.first), end_(bounds.first), last_(bounds.last), key_of_(key_of) {}

    /// Those of the entries from i on; end(): behind the last one.
    void move_to(int i) {
        if (i < end_) return;
        begin_ = i;
        end_ = i + (last_ - i < size ? last_ - i : size);
        auto const *const rows = list_.rows + i, *const columns = list_.columns + i;
        for (int k = 0; k < end_ - i; ++k) keys_[k] = static_cast<std::uint32_t>(key_of_(rows[k], columns[k]));
    }
    int end() const { return end_; }
    std::uint32_t operator[](int i) const { return keys_[i - begin_]; }

  private:
    View const& list_;
    int begin_, end_, last_;
    KeyOf key_of_;
    std::uint32_t keys_[size];
};
/// The same by one core. Keys are found ahead, so that a step waits for the last step's comparison alone. With Both,
/// equal keys are noted without a branch, and f is called for them afterwards: which keys are equal cannot be
/// predicted.
template <bool Both, class View, class KeyOf, class F>
void merge_lists_on_core(View const& a, entry_bounds of_a, View const& b, entry_bounds of_b, KeyOf key_of, F f) {
    using window = key_window<View, KeyOf>;
    window in_a(a, of_a, key_of), in_b(b, of_b, key_of);
    int i = of_a.first, j = of_b.first;
    auto const give = [&](bool a_has, int k, bool b_has, int l) {
        f(a_has ? a.rows[k] : b.rows[l], a_has ? a.columns[k] : b.columns[l], a_has ? a.values.at(k) : nullptr,
          b_has ? b.values.at(l) : nullptr);
    };
    while (i < of_a.last && j < of_b.last) {
        in_a.move_to(i);
        in_b.move_to(j);
        int const end_a = in_a.end(), end_b = in_b.end();
        int met_a[window::size + 1], met_b[window::size + 1], met = 0;
        while (i < end_a && j < end_b) {
            std::uint32_t const of_i = in_a[i], of_j = in_b[j];
            bool const a_has = of_i <= of_j, b_has = of_j <= of_i;
            if constexpr (Both) {
                met_a[met] = i;
                met_b[met] = j;
                met += of_i == of_j ? 1 : 0;
            } else {
                give(a_has, i, b_has, j);
            }
            i += a_has ? 1 : 0;
            j += b_has ? 1 : 0;
        }
        for (int k = 0; k < met; ++k) give(true, met_a[k], true, met_b[k]);
    }
    if constexpr (!Both) {
        for (; i < of_a.last; ++i) give(true, i, false, 0);
        for (; j < of_b.last; ++j) give(false, 0, true, j);
    }
}

// OnCore: by one core of a CPU; a GPU's lane has no memory of its own for keys.

template <bool Both, bool OnCore = false, class T, class Numbers, class F>
COPSE_HOST_DEVICE COPSE_INLINE bool merge_leaves(sparse_leaf_view<T> const& a, Numbers, sparse_leaf_view<T> const& b,
                                                 Numbers, leaf_order order, bool flip, F f) {
    auto const key = [=](int row, int column) {
        return flip ? order.position(column, row) : order.position(row, column);
    };
    if constexpr (OnCore)
        merge_lists_on_core<Both>(a, {0, a.count}, b, {0, b.count}, key, f);
    else
        merge_lists<Both>(a, {0, a.count}, b, {0, b.count}, key, f);
    return true;
}

template <bool Both, bool OnCore = false, class T, class Numbers, class F>
COPSE_HOST_DEVICE COPSE_INLINE bool merge_leaves(wide_leaf_view<T> const& a, Numbers of_a, wide_leaf_view<T> const& b,
                                                 Numbers of_b, leaf_order order, bool flip, F f) {
    entry_bounds const bounds_a{of_a.first, of_a.first + of_a.count}, bounds_b{of_b.first, of_b.first + of_b.count};
    auto const key = [=](int row, int column) { return wide_key(order, flip, row, column); };
    if constexpr (OnCore)
        merge_lists_on_core<Both>(a, bounds_a, b, bounds_b, key, f);
    else
        merge_lists<Both>(a, bounds_a, b, bounds_b, key, f);
    return true;
}

template <bool Both, bool OnCore = false, class T, class Numbers, class F>
COPSE_HOST_DEVICE COPSE_INLINE bool merge_leaves(dense_leaf_view<T> const& a, Numbers, dense_leaf_view<T> const& b,
                                                 Numbers, leaf_order order, bool flip, F f) {
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
template <bool Both, bool OnCore = false, class T, class Numbers, class F>
COPSE_HOST_DEVICE COPSE_INLINE bool merge_leaves(diagonal_leaf_view<T> const& a, Numbers numbers,
                                                 diagonal_leaf_view<T> const& b, Numbers, leaf_order order, bool flip,
                                                 F f) {
    if (!are_alike(a.streaks, b.streaks)) return false;
    merge_leaves<Both, OnCore>(a.others, numbers, b.others, numbers, order, flip, f);
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
