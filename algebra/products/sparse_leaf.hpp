// A leaf's list of entries, shared by the lanes of a worker: loads as wide as the leaf's layout lets them be, and
// several on their way before the first is waited for.
//
//   values    | 0 1 | 2 3 | 4 5 | ...      16 bytes by each lane, the lanes side by side: two of double, four of float
//   rows      |0 1|2 3|4 5| ...            as many coordinates by one load
//   columns   |0 1|2 3|4 5| ...
#pragma once

#include <array>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace copse::detail {

/// What is asked of a leaf: its rows and columns that there are, as op(A) sees it; of a wide leaf, entries first ..
/// last - 1, with rows counted from first_row.
struct leaf_portion {
    int rows;
    int columns;
    int first = 0;
    int last = 0;
    int first_row = 0;
};

// add_products(leaf, share, x, sums, w), for each kind of leaf, adds value * x[column] to its rows' sums:
//
//   sums.add(row, product)        all lanes together; row < 0: none
//   sums.add_alone(row, sum)      between sums.begin_rows() and sums.end_rows(): no other lane has the row
//
// Collective.

/// Entries whose loads a lane has on their way at once.
inline constexpr int list_entries_at_once = 4;

/// for_each_product(), for leaves that have their values so.
template <stored_values Stored, class Leaf, class V, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void for_each_stored_product(Leaf const& leaf, int first, int last, V const* x,
                                                            Worker& w, F f) {
    using value_type = std::decay_t<decltype(leaf.values[0])>;
    using coordinate = std::decay_t<decltype(*leaf.rows)>;
    int constexpr values_per_load = static_cast<int>(16 / sizeof(value_type)),
                  loads = list_entries_at_once / values_per_load;
    auto const place_of = [&](int k) { return leaf.values.data() + (Stored == stored_values::once ? 0 : k); };
    if (last - first <= w.size()) {  // and lists of one and two entries, which are not padded
        int const k = first + w.rank();
        bool const mine = k < last;
        int const column = mine ? w.load_stream(leaf.columns + k) : 0;
        int const row = mine ? w.load_stream(leaf.rows + k) : 0;
        V const value = mine ? static_cast<V>(w.load_stream(place_of(k))) : V(0);
        return f(mine, row, mine ? value * w.load(x + column) : V(0));
    }
    int const stride = values_per_load * w.size();
    COPSE_NO_UNROLL
    for (int begin = first / values_per_load * values_per_load; begin < last; begin += loads * stride) {
        std::array<coordinate, values_per_load> rows[loads]{}, columns[loads]{};
        std::array<value_type, values_per_load> values[loads]{};
        int const own = begin + values_per_load * w.rank();
        COPSE_UNROLL
        for (int i = 0; i < loads; ++i) {
            int const k = own + i * stride;
            if (k >= last) continue;
            columns[i] = w.template load_stream_vector<values_per_load>(leaf.columns + k);
            values[i] = w.template load_stream_vector<values_per_load>(place_of(k));
            rows[i] = w.template load_stream_vector<values_per_load>(leaf.rows + k);
        }
        auto const is_mine = [&](int i, int j) {
            int const k = own + i * stride + j;
            return first <= k && k < last;  // not padding, and not another part's
        };
        V products[loads][values_per_load];
        COPSE_UNROLL
        for (int i = 0; i < loads; ++i) {
            COPSE_UNROLL
            for (int j = 0; j < values_per_load; ++j)
                products[i][j] = is_mine(i, j) ? static_cast<V>(values[i][j]) * w.load(x + columns[i][j]) : V(0);
        }
        COPSE_UNROLL
        for (int i = 0; i < loads; ++i) {
            if (begin + i * stride >= last) break;
            COPSE_UNROLL
            for (int j = 0; j < values_per_load; ++j) f(is_mine(i, j), int{rows[i][j]}, products[i][j]);
        }
    }
}

/// f(mine, row, value * x[column]) for entries first .. last - 1 of a leaf (sparse_leaf_view, wide_leaf_view). All
/// lanes call f together, equally often; `mine` is false where a lane has no entry. Which entries meet in one call
/// depends on first, last and the worker's size alone. Collective if f is.
template <class Leaf, class V, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void for_each_product(Leaf const& leaf, int first, int last, V const* x, Worker& w,
                                                     F f) {
    if (first == last) return;  // as the list beside most leaves' streaks
    if (leaf.values.once())     // a loop of its own: to tell them apart in one took registers
        for_each_stored_product<stored_values::once>(leaf, first, last, x, w, f);
    else
        for_each_stored_product<stored_values::each>(leaf, first, last, x, w, f);
}

template <class T, class V, class Sums, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void add_products(sparse_leaf_view<T> const& leaf, leaf_portion const&, V const* x,
                                                 Sums& sums, Worker& w) {
    for_each_product(leaf, 0, leaf.count, x, w,
                     [&](bool mine, int row, V product) { sums.add(mine ? row : -1, product); });
}

template <class T, class V, class Sums, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void add_products(wide_leaf_view<T> const& leaf, leaf_portion const& portion, V const* x,
                                                 Sums& sums, Worker& w) {
    for_each_product(leaf, portion.first, portion.last, x, w,
                     [&](bool mine, int row, V product) { sums.add(mine ? row - portion.first_row : -1, product); });
}

}  // namespace copse::detail
