// Products of CSR5 on executors with many lanes: a tile by 16 lanes, 8 of float, neighbouring columns for each
// (csr5_columns.hpp; CSR5 §4, algorithm 8).
//
//   phase 0   tiles, the tail, rows without entries: every row is written by the item in which it begins
//   phase 1   rows that several tiles share: what each later tile has of them, in order
//
// A column's entries are cut by its TRUEs into a sub-segment that is open at its top (red), closed segments (green),
// and one that is open at its bottom (blue). Green ones are written as they end; a blue one takes the red ones of the
// columns behind it, up to and with the next column that has a TRUE. The paper sums these by differences of a prefix
// sum over all columns (algorithm 6), which lets rounding, Inf and NaN of one row reach the others of the tile; here a
// scan carries flags and starts anew at each segment: first in a lane, over its own columns, then over lanes.
// segment_offset says where a segment's sum is found. (Algorithm 6 took 1.02 times as long: plain loops, 24 matrices.)
#pragma once

#include <copse/algebra/flat/csr5_columns.hpp>
#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/flat/row_carries.hpp>
#include <copse/algebra/products/element_ranges.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace copse::detail {

/// A sum over neighbouring lanes; `starts` where a segment starts in one of them.
template <class T>
struct segment_sum {
    T sum;
    int starts;
};

template <class T>
struct csr5_tile_task {
    using item = std::int64_t;
    static constexpr int width = csr5_lanes<T>;
    static constexpr char const* name = "CSR5 tile";

    csr5_view<T> a;
    flat_product<T> product;
    row_carry<T>* carries;  // of each tile

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item tile, Worker& w) const {
        std::int64_t const begin = tile * a.layout.size();
        csr5_segments const segments = a.segments(tile);
        // Whether the first segment is of a row that begins in an earlier tile.
        bool const continues = a.row_offsets[segments.first_row] < begin;
        auto const write = [&](int segment, T sum) {
            if (segment == 0 && continues)
                carries[tile] = {segments.first_row, sum};
            else
                product.write(segments.row(segment), sum);
        };
        if (w.rank() == 0 && !continues) carries[tile].row = -1;
        lane_sums const sums = w.rank() * columns < a.layout.omega ? sum_lane(tile, write, w) : lane_sums{};
        T const total = sums.blue + red_behind(sums, w);
        if (sums.has_true) write(sums.segment, total);
    }

  private:
    static constexpr int columns = csr5_columns<T>;

    /// What the lane's columns sum to, as if they were one.
    struct lane_sums {
        T red = T(0);
        T blue = T(0);
        bool has_true = false;
        int segment = 0;    // that is open at the bottom
        int lanes_off = 0;  // behind this one that have no TRUE, as far as they follow it
    };

    template <class Write, class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE lane_sums sum_lane(std::int64_t tile, Write const& write, Worker& w) const {
        csr5_lane<T> lane(a, tile, w);
        csr5_column_sums<T> all(lane);
        lane.for_each_entry(
            w, [&](std::int32_t column, T value) { return value * w.load(product.x + column); },
            [&](int j) { all.begin_segment(j, write); }, [&](int j, std::int32_t, T term) { all.sums[j] += term; });
        return join(all, write);
    }
    /// Segments that go from one of the lane's columns to others of them end here.
    template <class Write>
    COPSE_HOST_DEVICE COPSE_INLINE static lane_sums join(csr5_column_sums<T> const& all, Write const& write) {
        lane_sums lane;
        COPSE_UNROLL
        for (int j = 0; j < columns; ++j) {
            (lane.has_true ? lane.blue : lane.red) += all.has_true(j) ? all.reds[j] : all.sums[j];
            if (!all.has_true(j)) continue;
            if (lane.has_true) write(lane.segment, lane.blue);
            lane.has_true = true;
            lane.blue = all.sums[j];
            lane.segment = all.segment(j);
            // The next TRUE is in column j + 1 + segment_offset, counted from the lane's first, or nowhere.
            lane.lanes_off = (j + 1 + all.segment_offset(j)) / columns - 1;
        }
        return lane;
    }
    /// The red sums that belong to this lane's blue one.
    template <class Worker>
    COPSE_HOST_DEVICE T red_behind(lane_sums const& sums, Worker& w) const {
        int const last = w.size() - 1;
        T const shifted = w.shuffle(sums.red, w.rank() < last ? w.rank() + 1 : last);
        segment_sum<T> const own{w.rank() < last ? shifted : T(0), sums.has_true ? 1 : 0};
        segment_sum<T> const through =
            w.inclusive_scan(own, [](segment_sum<T> const& left, segment_sum<T> const& right) {
                return right.starts ? right : segment_sum<T>{left.sum + right.sum, left.starts};
            });
        return w.shuffle(through.sum, w.rank() + sums.lanes_off);
    }
};

/// The entries behind the last full tile, 32 at a time: a row that begins among them is found by a search, and summed
/// by the lane that found it; a long one by all lanes (CSR5 §4: by CSR-vector).
template <class T>
struct csr5_tail_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "CSR5 tail";

    csr5_view<T> a;
    flat_product<T> product;
    row_carry<T>* carry;  // of the tail

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item, Worker& w) const {
        std::int64_t const first = a.full_tiles() * a.layout.size(), first_row = a.first_row(a.full_tiles());
        bool const continues = a.row_offsets[first_row] < first;
        if (w.rank() == 0 && !continues) carry->row = -1;
        auto const write = [&](std::int64_t row, T sum) {
            if (row == first_row && continues)
                *carry = {row, sum};
            else
                product.write(row, sum);
        };
        for (std::int64_t from = first; from < a.entry_count; from += w.size()) {
            std::int64_t const k = from + w.rank();
            std::int64_t row = k < a.entry_count ? row_of_entry(a.row_offsets, first_row, a.row_count, k) : -1;
            if (row >= 0 && k != first && a.row_offsets[row] != k) row = -1;  // none begins here
            bool const is_long = row >= 0 && a.row_offsets[row + 1] - k >= w.size();
            if (row >= 0 && !is_long) write(row, sum_of(k, a.row_offsets[row + 1], 1, w));
            // One at most: it reaches beyond these entries.
            std::int64_t const long_row =
                w.reduce(is_long ? row : std::int64_t{-1},
                         [](std::int64_t left, std::int64_t right) { return left < right ? right : left; });
            if (long_row < 0) continue;
            std::int64_t const begin = long_row == first_row ? first : a.row_offsets[long_row];
            T const own = sum_of(begin + w.rank(), a.row_offsets[long_row + 1], w.size(), w);
            T const sum = w.reduce(own, [](T left, T right) { return left + right; });
            if (w.rank() == 0) write(long_row, sum);
        }
    }

  private:
    template <class Worker>
    COPSE_HOST_DEVICE T sum_of(std::int64_t begin, std::int64_t end, int stride, Worker& w) const {
        T sum = T(0);
        for (std::int64_t i = begin; i < end; i += stride) sum += a.values[i] * w.load(product.x + a.column_indices[i]);
        return sum;
    }
};

/// Rows without entries among item * stretch .. (item + 1) * stretch - 1.
template <class T>
struct csr5_empty_rows_task {
    using item = std::int64_t;
    static constexpr int width = 128;
    static constexpr char const* name = "rows without entries";
    static constexpr std::int64_t stretch = 4096;

    csr5_view<T> a;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        for_stretch(w, which, stretch, a.row_count, [&](std::int64_t row) {
            if (a.row_offsets[row] == a.row_offsets[row + 1]) product.write_empty(row);
        });
    }
};

/// y += factor * A^T * x, tile by tile.
template <class T>
struct csr5_scatter_task {
    using item = std::int64_t;
    static constexpr int width = csr5_lanes<T>;
    static constexpr int phase = 1;
    static constexpr char const* name = "CSR5 tile, transposed";

    csr5_view<T> a;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item tile, Worker& w) const {
        if (w.rank() * columns >= a.layout.omega) return;
        csr5_segments const rows = a.segments(tile);
        csr5_lane<T> lane(a, tile, w);
        int segments[columns];
        T factors[columns];
        COPSE_UNROLL
        for (int j = 0; j < columns; ++j) {
            segments[j] = lane.column(j).y_offset - 1;
            factors[j] = segments[j] < 0 ? T(0) : factor_of(rows.row(segments[j]), w);
        }
        lane.for_each_entry(
            w, [](std::int32_t, T value) { return value; },
            [&](int j) { factors[j] = factor_of(rows.row(++segments[j]), w); },
            [&](int j, std::int32_t column, T value) { w.add(product.y + column, value * factors[j]); });
    }

  private:
    static constexpr int columns = csr5_columns<T>;

    template <class Worker>
    COPSE_HOST_DEVICE T factor_of(std::int64_t row, Worker& w) const {
        return product.factor * w.load(product.x + row);
    }
};

/// The same for the entries behind the last full tile, an entry by one lane.
template <class T>
struct csr5_tail_scatter_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "CSR5 tail, transposed";

    csr5_view<T> a;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item, Worker& w) const {
        std::int64_t const first = a.full_tiles() * a.layout.size(), first_row = a.first_row(a.full_tiles());
        for (std::int64_t k = first + w.rank(); k < a.entry_count; k += w.size()) {
            std::int64_t const row = row_of_entry(a.row_offsets, first_row, a.row_count, k);
            w.add(product.y + a.column_indices[k], a.values[k] * (product.factor * w.load(product.x + row)));
        }
    }
};

template <class T>
struct lanes_product<csr5<T>> {
    template <template <class...> class List>
    using runs = std::tuple<List<csr5_tile_task<T>, csr5_tail_task<T>, csr5_empty_rows_task<T>, add_carries_task<T, 1>>,
                            List<scale_output<T>, csr5_scatter_task<T>, csr5_tail_scatter_task<T>>>;

    template <class F>
    static run_report multiply(csr5_content<T> const& a, std::shared_ptr<memory> const& workspace,
                               flat_product<T> const& p, F f) {
        csr5_view<T> const view = a.view();
        std::int64_t const tiles = view.tile_count(), full = view.full_tiles();
        buffer<row_carry<T>> const carries(workspace, tiles);
        // beta == 1 leaves their elements as they are.
        std::int64_t const empty =
            a.has_empty_rows && p.beta != T(1) ? stretches(a.row_count, csr5_empty_rows_task<T>::stretch) : 0;
        add_carries_task<T, 1> const add{carries.data(), tiles, p};
        return f(task_range<csr5_tile_task<T>>{{view, p, carries.data()}, full},
                 task_range<csr5_tail_task<T>>{{view, p, carries.data() + full}, tiles - full},
                 task_range<csr5_empty_rows_task<T>>{{view, p}, empty},
                 task_range<add_carries_task<T, 1>>{add, add.items(tiles)});
    }
    template <class F>
    static run_report scatter(csr5_content<T> const& a, std::int64_t y_size, bool reads_matrix,
                              flat_product<T> const& p, F f) {
        csr5_view<T> const view = a.view();
        std::int64_t const full = reads_matrix ? view.full_tiles() : 0;
        return f(scaling_of(p, y_size), task_range<csr5_scatter_task<T>>{{view, p}, full},
                 task_range<csr5_tail_scatter_task<T>>{{view, p}, reads_matrix ? view.tile_count() - full : 0});
    }
};

}  // namespace copse::detail
