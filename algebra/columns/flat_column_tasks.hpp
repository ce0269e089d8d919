// Products of CSR and SELL-P with several columns, by lanes: a lane for each row and column.
//
//   lanes   row 0: c0 c1 c2 c3 | row 1: c0 c1 c2 c3 | ...      lane_columns columns of some rows
#pragma once

#include <copse/algebra/columns/column_tasks.hpp>
#include <copse/cpu/columns/row_products.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <tuple>

namespace copse::detail {

/// Slots that a worker's lanes have at once: an item.
template <class T>
inline constexpr int slots_at_once = 32 / lane_columns<T>;

template <class T>
struct flat_columns_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "rows, several columns";

    row_slots<T> a;
    column_operands<T> of;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        std::int64_t const slot = which * slots_at_once<T> + w.rank() / lane_columns<T>;
        int const c = w.rank() % lane_columns<T>;
        if (slot >= a.row_count || c >= of.columns()) return;
        auto const places = a.places_of(slot);
        T sum = T(0);
        for (std::int64_t k = places.first; k < places.end; k += places.step) {
            std::int64_t const column = w.load_stream(a.columns + k);
            if (column < 0) break;
            sum += w.load_stream(a.values + k) * w.load(of.x + column * of.x_row_step + c * of.x_column_step);
        }
        T* const to = of.y.y + a.row_in(slot) * of.y.row_step + c * of.y.column_step;
        *to = of.y.beta == T(0) ? of.y.factor * sum : of.y.factor * sum + of.y.beta * *to;
    }
};

/// sums += A^T X, by atomic additions.
template <class T>
struct flat_columns_scatter_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "rows, several columns, transposed";

    row_slots<T> a;
    column_operands<T> of;
    T* sums;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        std::int64_t const slot = which * slots_at_once<T> + w.rank() / lane_columns<T>;
        int const c = w.rank() % lane_columns<T>;
        if (slot >= a.row_count || c >= of.columns()) return;
        auto const places = a.places_of(slot);
        T const x = w.load(of.x + a.row_in(slot) * of.x_row_step + c * of.x_column_step);
        for (std::int64_t k = places.first; k < places.end; k += places.step) {
            std::int64_t const column = w.load_stream(a.columns + k);
            if (column < 0) break;
            w.add(sums + column * lane_columns<T> + c, w.load_stream(a.values + k) * x);
        }
    }
};

template <class T, template <class...> class List>
using flat_scatter_tasks = List<scale_output<T>, flat_columns_scatter_task<T>, write_columns_task<T>>;

/// For the device controller.
template <template <class...> class List>
using flat_spmm_runs = std::tuple<List<flat_columns_task<float>>, List<flat_columns_task<double>>,
                                  flat_scatter_tasks<float, List>, flat_scatter_tasks<double, List>>;

}  // namespace copse::detail
