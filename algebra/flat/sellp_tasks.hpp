// Products of SELL-P on executors with many lanes: a slice is an item (Anzt, Tomov, Dongarra, §III, Figures 2 and 3).
//
//   b = 8, double     | lane 0: 0 1 | lane 1: 2 3 | lane 2: 4 5 | lane 3: 6 7 |     the slice's first column: rows
//                     | lane 4: 0 1 | lane 5: 2 3 | lane 6: 4 5 | lane 7: 6 7 |     the second one
//
// A lane takes 16 bytes of values by each load, as neighbouring rows of one column of the slice: the same rows in every
// step. In the end sums of the same rows are added, those of the upper half of the lanes to the lower half's, until
// each row's are one lane's.
#pragma once

#include <array>
#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/products/strided_loads.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace copse::detail {

/// What a lane takes of a slice by one load of values.
template <class T>
struct sellp_places {
    static constexpr int values_per_load = static_cast<int>(16 / sizeof(T));
    std::array<std::int32_t, values_per_load> columns;
    std::array<T, values_per_load> values{};

    /// Places k .. k + wide - 1, k a multiple of wide; those outside of begin .. end - 1, the slice, are padding.
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void load(sellp_view<T> const& a, std::int64_t begin, std::int64_t end,
                                             std::int64_t k, Worker& w) {
        COPSE_UNROLL
        for (auto& column : columns) column = a.padding;
        if (begin <= k && k + values_per_load <= end) {
            columns = w.template load_stream_vector<values_per_load>(a.column_indices + k);
            values = w.template load_stream_vector<values_per_load>(a.values + k);
        } else if (a.slice_rows < values_per_load) {  // slices of one and two rows, which begin and end anywhere
            COPSE_UNROLL
            for (std::size_t j = 0; j < values_per_load; ++j) {
                std::int64_t const place = k + static_cast<std::int64_t>(j);
                if (place < begin || end <= place) continue;
                columns[j] = w.load_stream(a.column_indices + place);
                values[j] = w.load_stream(a.values + place);
            }
        }
    }
};

/// Width: lanes; wide * Width is b at least.
template <class T, int Width>
struct sellp_slice_task {
    using item = std::int64_t;
    static constexpr int width = Width;
    static constexpr char const* name = Width == 32 ? "SELL-P slice by 32 lanes" : "SELL-P slice by 64 lanes";

    sellp_view<T> a;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item slice, Worker& w) const {
        row_sums sums = add_places(a.slice_offsets[slice], a.slice_offsets[slice + 1], w);
        for (int lanes = w.size() / 2; lanes * values_per_load >= a.slice_rows; lanes /= 2)
            add(sums, w.shuffle(sums, (w.rank() + lanes) % w.size()));
        // Slices of fewer rows than a lane's: their rows come again in it.
        COPSE_UNROLL
        for (std::size_t half = values_per_load / 2; half > 0; half /= 2) {
            if (half < static_cast<std::size_t>(a.slice_rows)) break;
            COPSE_UNROLL
            for (std::size_t j = 0; j < half; ++j) sums[j] += sums[j + half];
        }
        write(slice, sums, w);
    }

  private:
    static constexpr int values_per_load = sellp_places<T>::values_per_load;
    /// Two loads of values, and two of columns, of a lane on their way before the first is used: 48 bytes of double, as
    /// much as four elements were, and 64 of float.
    static constexpr int loads = 2;
    /// Of the rows of a lane's places: sum j is row (wide * rank + j) mod b.
    using row_sums = std::array<T, values_per_load>;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE row_sums add_places(std::int64_t begin, std::int64_t end, Worker& w) const {
        row_sums sums{};
        int const stride = values_per_load * w.size();
        COPSE_NO_UNROLL
        for (std::int64_t k = begin / values_per_load * values_per_load + values_per_load * w.rank(); k < end;
             k += loads * stride) {
            sellp_places<T> places[loads];
            COPSE_UNROLL
            for (int i = 0; i < loads; ++i) places[i].load(a, begin, end, k + i * stride, w);
            // What padding gives is not used: to load some element for it is cheaper than to go another way.
            COPSE_UNROLL
            for (auto& some : places) {
                COPSE_UNROLL
                for (std::size_t j = 0; j < values_per_load; ++j)
                    some.values[j] *= w.load(product.x + (some.columns[j] >= 0 ? some.columns[j] : 0));
            }
            COPSE_UNROLL
            for (auto const& some : places) {
                COPSE_UNROLL
                for (std::size_t j = 0; j < values_per_load; ++j)
                    if (some.columns[j] >= 0) sums[j] += some.values[j];
            }
        }
        return sums;
    }
    COPSE_HOST_DEVICE COPSE_INLINE static void add(row_sums& sums, row_sums const& others) {
        COPSE_UNROLL
        for (std::size_t j = 0; j < values_per_load; ++j) sums[j] += others[j];
    }
    template <class Worker>
    COPSE_HOST_DEVICE void write(std::int64_t slice, row_sums const& sums, Worker& w) const {
        COPSE_UNROLL
        for (int j = 0; j < values_per_load; ++j) {
            int const row = values_per_load * w.rank() + j;
            if (row < a.rows_in(slice))
                product.write(a.row_in(a.first_slot(slice) + row), sums[static_cast<std::size_t>(j)]);
        }
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
            return value * product.factor * w.load(product.x + row);
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
                            List<scale_output<T>, sellp_scatter_task<T>>>;

    template <class F>
    static run_report multiply(sellp_content<T> const& a, std::shared_ptr<memory> const&, flat_product<T> const& p,
                               F f) {
        // By each load what the paper's b * t threads take, an element each. Not by 128 lanes: 64 take 128 doubles, the
        // most rows there are in a slice, and need no more steps than 128 lanes with an element each, which was the
        // limit. A matrix of enough slices has as many bytes on their way, by more workers; narrow ones wait for fewer
        // lanes.
        int const lanes = a.options.slice_rows * a.options.row_threads / sellp_places<T>::values_per_load;
        if (lanes <= 32) return f(task_range<sellp_slice_task<T, 32>>{{a.view(), p}, a.slice_count});
        return f(task_range<sellp_slice_task<T, 64>>{{a.view(), p}, a.slice_count});
    }
    template <class F>
    static run_report scatter(sellp_content<T> const& a, std::int64_t y_size, bool reads_matrix,
                              flat_product<T> const& p, F f) {
        return f(scaling_of(p, y_size),
                 task_range<sellp_scatter_task<T>>{{a.view(), p}, reads_matrix ? a.slice_count : 0});
    }
};

}  // namespace copse::detail
