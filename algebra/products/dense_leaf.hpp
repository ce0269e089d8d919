// A dense leaf times a stretch of x, by the lanes of a worker: 16 bytes of values by each load, four loads of a lane on
// their way before the first is waited for.
//
//   stored row i       | lane 0: 0 1 | lane 1: 2 3 | ...     columns of double; 4 of float each.
//   stored row i + 1   | lane 0: 0 1 | lane 1: 2 3 | ...     Rows of 64 floats are two at once.
//
// As stored, a row's lanes add up what they have; transposed, a lane keeps the sums of its columns.
#pragma once

#include <array>
#include <copse/algebra/products/sparse_leaf.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// Of a leaf's d rows and columns, as op(A) sees it, those that there are.
struct dense_extent {
    int rows;
    int columns;
};

/// Stored rows that a lane has on their way at once.
inline constexpr int dense_rows_at_once = 4;

/// The sum of own[i] over groups of `lanes` neighbours (a power of two, 4 at least); the lane that is k-th of its group
/// has the sum of i = 2 * (k mod 2) + k / 2 mod 2. Collective.
template <class V, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE V sum_of_four(V const (&own)[4], int lanes, Worker& w) {
    // Each step halves what a lane keeps, and gives the rest away: 6 exchanges among 32 lanes instead of 20.
    bool const upper = (w.rank() & 1) != 0, second = (w.rank() & 2) != 0;
    V const first = (upper ? own[2] : own[0]) + w.shuffle(upper ? own[0] : own[2], w.rank() ^ 1);
    V const other = (upper ? own[3] : own[1]) + w.shuffle(upper ? own[1] : own[3], w.rank() ^ 1);
    V sum = (second ? other : first) + w.shuffle(second ? first : other, w.rank() ^ 2);
    for (int step = 4; step < lanes; step *= 2) sum += w.shuffle(sum, w.rank() ^ step);
    return sum;
}

/// How the lanes share a dense leaf.
template <class T>
struct dense_portion {
    static constexpr int values_per_load = static_cast<int>(16 / sizeof(T));
    int d;
    int lanes;   // that have a stored row together
    int groups;  // of so many lanes: rows at once
    int group;   // this lane's
    int column;  // stored: the lane's first

    template <class Worker>
    COPSE_HOST_DEVICE dense_portion(dense_leaf_view<T> const& leaf, Worker& w)
        : d(1 << leaf.dimension_log2),
          lanes(d / values_per_load < w.size() ? d / values_per_load : w.size()),
          groups(w.size() / lanes),
          group(w.rank() / lanes),
          column(w.rank() % lanes * values_per_load) {}

    COPSE_HOST_DEVICE int column_stride() const { return lanes * values_per_load; }
    COPSE_HOST_DEVICE int row_stride() const { return dense_rows_at_once * groups; }
    /// The i-th of the lane's rows from `first` on.
    COPSE_HOST_DEVICE int row(int first, int i) const { return first + i * groups + group; }
};

/// What a lane has of dense_rows_at_once stored rows.
template <class T>
struct dense_rows {
    std::array<T, dense_portion<T>::values_per_load> values[dense_rows_at_once];
    std::uint32_t present[dense_rows_at_once];

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE dense_rows(dense_leaf_view<T> const& leaf, dense_portion<T> const& portion,
                                              int first, int column, Worker& w) {
        COPSE_UNROLL
        for (int i = 0; i < dense_rows_at_once; ++i) {
            int const position = portion.row(first, i) * portion.d + column;
            values[i] = w.template load_stream_vector<dense_portion<T>::values_per_load>(leaf.values.at(position));
            present[i] = leaf.entries_from(position);
        }
    }
    /// value * x; 0 where there is no entry, whatever x is.
    template <class V>
    COPSE_HOST_DEVICE COPSE_INLINE V product(int row, int column, V x) const {
        auto const k = static_cast<std::size_t>(column);
        return (present[row] >> column & 1) != 0 ? static_cast<V>(values[row][k]) * x : V(0);
    }
};

template <class T, class V, class Worker, class Add>
COPSE_HOST_DEVICE COPSE_INLINE void add_dense_rows(dense_leaf_view<T> const& leaf, dense_extent extent, V const* x,
                                                   Worker& w, Add add) {
    dense_portion<T> const portion(leaf, w);
    int constexpr values_per_load = dense_portion<T>::values_per_load;
    COPSE_NO_UNROLL
    for (int begin = 0; begin < portion.d; begin += portion.column_stride()) {
        int const column = begin + portion.column;
        V own_x[values_per_load];
        COPSE_UNROLL
        for (int j = 0; j < values_per_load; ++j)
            own_x[j] = column + j < extent.columns ? w.load(x + column + j) : V(0);
        COPSE_NO_UNROLL
        for (int first = 0; first < extent.rows; first += portion.row_stride()) {
            dense_rows<T> const rows(leaf, portion, first, column, w);
            V own[dense_rows_at_once]{};
            COPSE_UNROLL
            for (int i = 0; i < dense_rows_at_once; ++i) {
                COPSE_UNROLL
                for (int j = 0; j < values_per_load; ++j) own[i] += rows.product(i, j, own_x[j]);
            }
            V const sum = sum_of_four(own, portion.lanes, w);
            int const k = w.rank() % portion.lanes, row = portion.row(first, 2 * (k % 2) + k / 2);
            if (k < dense_rows_at_once && row < extent.rows) add(row, sum);
        }
    }
}

template <class T, class V, class Worker, class Add>
COPSE_HOST_DEVICE COPSE_INLINE void add_dense_columns(dense_leaf_view<T> const& leaf, dense_extent extent, V const* x,
                                                      Worker& w, Add add) {
    dense_portion<T> const portion(leaf, w);
    int constexpr values_per_load = dense_portion<T>::values_per_load;
    COPSE_NO_UNROLL
    for (int begin = 0; begin < portion.d; begin += portion.column_stride()) {
        int const column = begin + portion.column;
        V sums[values_per_load]{};
        COPSE_NO_UNROLL
        for (int first = 0; first < extent.columns; first += portion.row_stride()) {
            dense_rows<T> const rows(leaf, portion, first, column, w);
            COPSE_UNROLL
            for (int i = 0; i < dense_rows_at_once; ++i) {
                int const row = portion.row(first, i);
                V const own_x = row < extent.columns ? w.load(x + row) : V(0);
                COPSE_UNROLL
                for (int j = 0; j < values_per_load; ++j) sums[j] += rows.product(i, j, own_x);
            }
        }
        for (int step = portion.lanes; step < w.size(); step *= 2) {
            COPSE_UNROLL
            for (int j = 0; j < values_per_load; ++j) sums[j] += w.shuffle(sums[j], w.rank() ^ step);
        }
        COPSE_UNROLL
        for (int j = 0; j < values_per_load; ++j)
            if (portion.group == 0 && column + j < extent.rows) add(column + j, sums[j]);
    }
}

/// add(i, sum) for the rows of the leaf, each by one lane, perhaps several times: what it gets is to be added up. The
/// order of every sum depends on d and the worker's size, 32 lanes, alone. Collective, and ends without a sync.
template <class T, class V, class Worker, class Add>
COPSE_HOST_DEVICE COPSE_INLINE void add_dense_products(dense_leaf_view<T> const& leaf, dense_extent extent, V const* x,
                                                       Worker& w, Add add) {
    static_assert(Worker::size() == 32);  // a row of 64 floats has 16 lanes
    leaf.transposed ? add_dense_columns(leaf, extent, x, w, add) : add_dense_rows(leaf, extent, x, w, add);
}

template <class T, class V, class Sums, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void add_products(dense_leaf_view<T> const& leaf, leaf_portion const& portion,
                                                 V const* x, Sums& sums, Worker& w) {
    add_dense_products(leaf, {portion.rows, portion.columns}, x, w, [&](int row, V sum) { sums.add_alone(row, sum); });
    sums.end_rows();
}

}  // namespace copse::detail
