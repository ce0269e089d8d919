// Products of SELL-P on executors with many lanes: a slice is an item, b x t lanes take it (Anzt, Tomov, Dongarra, §III,
// Figures 2 and 3).
//
//   lane l of W:   row l mod b of the slice, entries l / b, l / b + W / b, ... of it; then sums of one row are added, those
//                  of the upper half of the lanes to the lower half's, until b lanes are left
//
// A lane's entries are b or W apart, its neighbours' lie between: lanes side by side load side by side, an element each.
// The transposed product takes entries as they lie, 16 bytes at once.
#pragma once

#include <copse/algebra/flat_product.hpp>
#include <copse/algebra/strided_loads.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <tuple>

namespace copse::detail {

/// Width: lanes, b at least.
template <class T, int Width>
struct sellp_slice_task {
    using item = std::int64_t;
    static constexpr int width = Width;
    static constexpr char const* name = Width == 32   ? "SELL-P slice by 32 lanes"
                                        : Width == 64 ? "SELL-P slice by 64 lanes"
                                                      : "SELL-P slice by 128 lanes";

    sellp_view<T> a;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item slice, Worker& w) const {
        T sum = T(0);
        for_each_loaded(
            a.column_indices, a.values, a.slice_offsets[slice] + w.rank(), a.slice_offsets[slice + 1], w,
            // What padding gives is not used: to load some element for it is cheaper than to go another way.
            [&](std::int64_t, std::int32_t column, T value) { return value * product.x[column >= 0 ? column : 0]; },
            [&](std::int32_t column, T term) {
                if (column >= 0) sum += term;
            });
        for (int lanes = w.size() / 2; lanes >= a.slice_rows; lanes /= 2)
            sum += w.shuffle(sum, (w.rank() + lanes) % w.size());
        if (w.rank() < a.rows_in(slice)) product.write(a.row_in(a.first_slot(slice) + w.rank()), sum);
    }
};

/// y += factor * A^T * x, a slice by 32 lanes.
template <class T>
struct sellp_scatter_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "SELL-P slice, transposed";

    sellp_view<T> a;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item slice, Worker& w) const {
        std::int64_t const begin = a.slice_offsets[slice], end = a.slice_offsets[slice + 1];
        auto const term = [&](std::int64_t k, std::int32_t column, T value) {
            if (column < 0) return T(0);
            std::int64_t const row = a.row_in(a.first_slot(slice) + ((k - begin) & (a.slice_rows - 1)));
            return value * product.factor * product.x[row];
        };
        for_each_in_range<2>(a.column_indices, a.values, begin, end, w, term,
                             [&](std::int64_t, std::int32_t column, T sum) {
                                 if (column >= 0) w.add(product.y + column, sum);
                             });
    }
};

template <class T>
struct lanes_product<sellp<T>> {
    template <template <class...> class List>
    using runs = std::tuple<List<sellp_slice_task<T, 32>>, List<sellp_slice_task<T, 64>>,
                            List<sellp_slice_task<T, 128>>, List<scale_output<T>, sellp_scatter_task<T>>>;

    template <class F>
    static run_report multiply(sellp_content<T> const& a, std::shared_ptr<memory> const&, flat_product<T> const& p,
                               F f) {
        int const lanes = a.options.slice_rows * a.options.row_threads;
        if (lanes <= 32) return f(task_range<sellp_slice_task<T, 32>>{{a.view(), p}, a.slice_count});
        if (lanes <= 64) return f(task_range<sellp_slice_task<T, 64>>{{a.view(), p}, a.slice_count});
        return f(task_range<sellp_slice_task<T, 128>>{{a.view(), p}, a.slice_count});
    }
    template <class F>
    static run_report scatter(sellp_content<T> const& a, std::int64_t y_size, bool reads_matrix,
                              flat_product<T> const& p, F f) {
        return f(scaling_of(p, y_size),
                 task_range<sellp_scatter_task<T>>{{a.view(), p}, reads_matrix ? a.slice_count : 0});
    }
};

}  // namespace copse::detail
