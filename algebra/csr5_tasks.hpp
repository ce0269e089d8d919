// Products of CSR5 on executors with many lanes: a tile by 32 lanes, a lane for each column (CSR5 §4, algorithm 8).
//
//   phase 0   tiles, the tail, rows without entries: every row is written by the item in which it begins
//   phase 1   rows that several tiles share: what each later tile has of them, in order
//
// A column's entries are cut by its TRUEs into a sub-segment that is open at its top (red), closed segments (green),
// and one that is open at its bottom (blue). Green ones are written as they end; a blue one takes the red ones of the
// columns behind it, up to and with the next column that has a TRUE. The paper sums these by differences of a prefix
// sum over all columns (algorithm 6), which lets rounding, Inf and NaN of one row reach the others of the tile; here a
// scan carries flags and starts anew at each segment, and segment_offset says where the segment's sum is found.
// A column's entries are omega apart: lanes side by side load side by side, an element each.
#pragma once

#include <copse/algebra/flat_product.hpp>
#include <copse/algebra/row_carries.hpp>
#include <copse/algebra/stretches.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr5_conversion.hpp>
#include <copse/runtime/buffer.hpp>
#include <tuple>

namespace copse::detail {

/// A sum over neighbouring columns; `starts` where a segment starts in one of them.
template <class T>
struct segment_sum {
    T sum;
    int starts;
};

/// The next entries of a column of a tile, `count` of at_once: all loads are on their way before the first is needed.
template <class T>
struct csr5_entries {
    static constexpr int at_once = 4;
    std::int32_t columns[at_once];
    T values[at_once];

    template <class Worker>
    COPSE_HOST_DEVICE csr5_entries(csr5_view<T> const& a, std::int64_t k, int count, Worker& w) {
        COPSE_UNROLL
        for (int j = 0; j < at_once; ++j) {
            columns[j] = j < count ? w.load_stream(a.column_indices + k + j * a.layout.omega) : 0;
            values[j] = j < count ? w.load_stream(a.values + k + j * a.layout.omega) : T(0);
        }
    }
};

template <class T>
struct csr5_tile_task {
    using item = std::int64_t;
    static constexpr int width = 32;
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
        column_sums const sums = w.rank() < a.layout.omega ? sum_column(tile, write, w) : column_sums{};
        T const total = sums.blue + red_behind(sums, w);
        if (sums.has_true) write(sums.segment, total);
    }

  private:
    struct column_sums {
        T red = T(0);
        T blue = T(0);
        bool has_true = false;
        int segment = 0;  // that is open at the bottom
        int segment_offset = 0;
    };

    template <class Write, class Worker>
    COPSE_HOST_DEVICE column_sums sum_column(std::int64_t tile, Write const& write, Worker& w) const {
        std::uint32_t const* const descriptor = a.descriptor(tile);
        csr5_column const column = unpack_column(a.layout, descriptor[w.rank()]);
        column_flags flags(a.layout, descriptor, w.rank());
        column_sums result;
        result.segment = column.y_offset - 1;
        result.segment_offset = column.segment_offset;
        T sum = T(0);
        std::int64_t const first = tile * a.layout.size() + w.rank();
        int constexpr at_once = csr5_entries<T>::at_once;
        for (int begin = 0; begin < a.layout.sigma; begin += at_once) {
            int const count = a.layout.sigma - begin < at_once ? a.layout.sigma - begin : at_once;
            csr5_entries<T> const entries(a, first + begin * a.layout.omega, count, w);
            T products[at_once];
            COPSE_UNROLL
            for (int j = 0; j < at_once; ++j)
                products[j] = j < count ? entries.values[j] * product.x[entries.columns[j]] : T(0);
            COPSE_UNROLL
            for (int j = 0; j < at_once; ++j) {
                if (j >= count) break;
                if (flags.next()) {
                    if (result.has_true)
                        write(result.segment, sum);  // green
                    else
                        result.red = sum;
                    result.has_true = true;
                    ++result.segment;
                    sum = T(0);
                }
                sum += products[j];
            }
        }
        (result.has_true ? result.blue : result.red) = sum;
        return result;
    }
    /// The red sums that belong to this column's blue one.
    template <class Worker>
    COPSE_HOST_DEVICE T red_behind(column_sums const& sums, Worker& w) const {
        int const last = w.size() - 1;
        T const shifted = w.shuffle(sums.red, w.rank() < last ? w.rank() + 1 : last);
        segment_sum<T> const own{w.rank() < last ? shifted : T(0), sums.has_true ? 1 : 0};
        segment_sum<T> const through =
            w.inclusive_scan(own, [](segment_sum<T> const& left, segment_sum<T> const& right) {
                return right.starts ? right : segment_sum<T>{left.sum + right.sum, left.starts};
            });
        return w.shuffle(through.sum, w.rank() + sums.segment_offset);
    }
};

/// The entries behind the last full tile: a row by one lane, which finds it by a search.
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
        for (std::int64_t k = first + w.rank(); k < a.entry_count; k += w.size()) {
            std::int64_t const row = row_of_entry(a.row_offsets, first_row, a.row_count, k);
            if (k != first && a.row_offsets[row] != k) continue;
            T sum = T(0);
            for (std::int64_t i = k; i < a.row_offsets[row + 1]; ++i)
                sum += a.values[i] * product.x[a.column_indices[i]];
            if (k == first && continues)
                *carry = {row, sum};
            else
                product.write(row, sum);
        }
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

/// y += factor * A^T * x, a tile by 32 lanes, a lane for each column.
template <class T>
struct csr5_scatter_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "CSR5 tile, transposed";

    csr5_view<T> a;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item tile, Worker& w) const {
        if (w.rank() >= a.layout.omega) return;
        std::uint32_t const* const descriptor = a.descriptor(tile);
        csr5_segments const segments = a.segments(tile);
        column_flags flags(a.layout, descriptor, w.rank());
        int segment = unpack_column(a.layout, descriptor[w.rank()]).y_offset - 1;
        T factor = segment < 0 ? T(0) : factor_of(segments.row(segment));
        std::int64_t const first = tile * a.layout.size() + w.rank();
        int constexpr at_once = csr5_entries<T>::at_once;
        for (int begin = 0; begin < a.layout.sigma; begin += at_once) {
            int const count = a.layout.sigma - begin < at_once ? a.layout.sigma - begin : at_once;
            csr5_entries<T> const entries(a, first + begin * a.layout.omega, count, w);
            COPSE_UNROLL
            for (int j = 0; j < at_once; ++j) {
                if (j >= count) break;
                if (flags.next()) factor = factor_of(segments.row(++segment));
                w.add(product.y + entries.columns[j], entries.values[j] * factor);
            }
        }
    }

  private:
    COPSE_HOST_DEVICE T factor_of(std::int64_t row) const { return product.factor * product.x[row]; }
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
            w.add(product.y + a.column_indices[k], a.values[k] * (product.factor * product.x[row]));
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
