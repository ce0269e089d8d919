// Products of compressed rows on executors with many lanes: the papers' scalar and vector kernels, and the merge path.
//
// The merge path goes through rows and entries at once: a step to the right takes an entry, a step down ends a row.
// Equal portions of its steps are equal portions of rows plus entries. (Merrill & Garland, "Merge-based parallel sparse
// matrix-vector multiplication", SC'16.)
#pragma once

#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/flat/row_carries.hpp>
#include <copse/algebra/products/element_ranges.hpp>
#include <copse/algebra/products/strided_loads.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstddef>
#include <tuple>

namespace copse::detail {

/// A row by one lane (CSR-scalar), by stretches of four entries that begin at multiples of four, as far as they are the
/// row's: 16 bytes by each load, and two stretches on their way at once.
template <class T>
struct csr_lane_task {
    using item = std::int64_t;
    static constexpr int width = 1;
    static constexpr char const* name = "CSR row by a lane";

    csr_matrix_view<T> a;
    std::int64_t entries;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item row, Worker& w) const {
        std::int64_t const begin = a.row_offsets[row], end = a.row_offsets[row + 1];
        T sum = T(0);
        COPSE_NO_UNROLL
        for (std::int64_t first = begin / stretch_entries * stretch_entries; first < end;
             first += at_once * stretch_entries) {
            stretch own[at_once]{};
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i)
                if (first + i * stretch_entries < end) own[i].load(*this, first + i * stretch_entries, w);
            auto const is_mine = [&](int i, int j) {
                return begin <= first + i * stretch_entries + j && first + i * stretch_entries + j < end;
            };
            T products[at_once][stretch_entries];
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i) {
                COPSE_UNROLL
                for (int j = 0; j < stretch_entries; ++j)
                    products[i][j] = is_mine(i, j) ? own[i].value(j) * w.load(product.x + own[i].column(j)) : T(0);
            }
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i) {
                COPSE_UNROLL
                for (int j = 0; j < stretch_entries; ++j)
                    if (is_mine(i, j)) sum += products[i][j];
            }
        }
        product.write(row, sum);
    }

  private:
    static constexpr int stretch_entries = 4, at_once = 2, wide = static_cast<int>(16 / sizeof(T));

    struct stretch {
        std::array<std::int32_t, stretch_entries> columns;
        std::array<T, wide> values[stretch_entries / wide];

        COPSE_HOST_DEVICE std::int32_t& column(int j) { return columns[static_cast<std::size_t>(j)]; }
        COPSE_HOST_DEVICE T& value(int j) { return values[j / wide][static_cast<std::size_t>(j % wide)]; }

        /// Entries first .. first + 3, as far as there are any.
        template <class Worker>
        COPSE_HOST_DEVICE COPSE_INLINE void load(csr_lane_task const& task, std::int64_t first, Worker& w) {
            auto const* const from = task.a.column_indices + first;
            T const* const factors = task.a.values + first;
            if (first + stretch_entries <= task.entries) {
                columns = w.template load_line_vector<stretch_entries>(from);
                COPSE_UNROLL
                for (int i = 0; i < stretch_entries / wide; ++i)
                    values[i] = w.template load_line_vector<wide>(factors + i * wide);
            } else {
                COPSE_UNROLL
                for (int j = 0; j < stretch_entries; ++j) {
                    if (first + j >= task.entries) continue;
                    column(j) = from[j];
                    value(j) = factors[j];
                }
            }
        }
    };
};

/// A row by 32 lanes (CSR-vector).
template <class T>
struct csr_vector_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "CSR row by 32 lanes";

    csr_matrix_view<T> a;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item row, Worker& w) const {
        std::int64_t const end = a.row_offsets[row + 1];
        T own = T(0);
        for_each_in_range(
            a.column_indices, a.values, a.row_offsets[row], end, w,
            [&](std::int64_t, std::int32_t column, T value) { return value * w.load(product.x + column); },
            [&](std::int64_t, std::int32_t, T term) { own += term; });
        T const sum = w.reduce(own, [](T left, T right) { return left + right; });
        if (w.rank() == 0) product.write(row, sum);
    }
};

/// A sum that a segment's end cuts: `ended` says whether a row ended since it began.
template <class T>
struct open_sum {
    T sum;
    int ended;
};

/// A portion of the merge path by 32 lanes, each of which walks an equal part of it. What a portion has of a row that
/// does not end in it goes to the portion's carry.
template <class T>
struct csr_merge_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "CSR portion of rows and entries";
    static constexpr int steps = 512;
    static constexpr std::size_t scratch_bytes = steps * sizeof(T);

    csr_matrix_view<T> a;
    flat_product<T> product;
    row_carry<T>* carries;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item portion, Worker& w) const {
        std::int64_t const total = a.row_count + a.row_offsets[a.row_count];
        std::int64_t const begin = portion * steps, end = begin + steps < total ? begin + steps : total;
        merge_point const first = merge_search(a.row_offsets, 0, a.row_count, begin);
        merge_point const last = merge_search(a.row_offsets, first.row, a.row_count, end);

        // The products, read side by side; each lane then finds its own in scratch memory.
        auto const products = w.template scratch<T>(steps);
        for_each_in_range(
            a.column_indices, a.values, first.entry, last.entry, w,
            [&](std::int64_t, std::int32_t column, T value) { return value * w.load(product.x + column); },
            [&](std::int64_t k, std::int32_t, T term) { products[static_cast<int>(k - first.entry)] = term; });
        w.sync();

        int const steps_of_lane = steps / w.size();
        auto const clamped = [&](std::int64_t step) { return step < end ? step : end; };
        std::int64_t const own_begin = clamped(begin + w.rank() * steps_of_lane);
        std::int64_t const own_end = clamped(begin + (w.rank() + 1) * steps_of_lane);
        merge_point at = merge_search(a.row_offsets, first.row, last.row, own_begin);
        // The first row that ends here may have begun in lanes before this one.
        std::int64_t first_ended = -1;
        T first_sum = T(0);
        open_sum<T> open{T(0), 0};
        for (std::int64_t step = own_begin; step < own_end; ++step) {
            if (at.row < a.row_count && at.entry == a.row_offsets[at.row + 1]) {
                if (open.ended) {
                    product.write(at.row, open.sum);
                } else {
                    first_ended = at.row;
                    first_sum = open.sum;
                }
                open = {T(0), 1};
                ++at.row;
            } else {
                open.sum += products[static_cast<int>(at.entry - first.entry)];
                ++at.entry;
            }
        }
        T const before = sum_before(open, w);
        if (first_ended >= 0) product.write(first_ended, before + first_sum);
        if (w.rank() == w.size() - 1) {
            // No row: all rows are ended, or none has begun.
            bool const is_open = at.row < a.row_count && at.entry > a.row_offsets[at.row];
            carries[portion] = {is_open ? at.row : -1, open.ended ? open.sum : before + open.sum};
        }
        w.sync();  // the products' memory is the next item's
    }

  private:
    /// What the lanes before this one have of the row that is open at its beginning.
    template <class Worker>
    COPSE_HOST_DEVICE static T sum_before(open_sum<T> const& open, Worker& w) {
        open_sum<T> const through = w.inclusive_scan(open, [](open_sum<T> const& left, open_sum<T> const& right) {
            return right.ended ? right : open_sum<T>{left.sum + right.sum, left.ended};
        });
        T const sum = w.shuffle(through.sum, w.rank() > 0 ? w.rank() - 1 : 0);
        return w.rank() > 0 ? sum : T(0);
    }
};

/// y += factor * A^T * x, a row by 32 lanes.
template <class T>
struct csr_scatter_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "CSR row, transposed";

    csr_matrix_view<T> a;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item row, Worker& w) const {
        std::int64_t const end = a.row_offsets[row + 1];
        std::int64_t const begin = a.row_offsets[row];
        if (begin == end) return;
        T const factor = product.factor * w.load(product.x + row);
        for_each_in_range<2>(
            a.column_indices, a.values, begin, end, w,
            [&](std::int64_t, std::int32_t, T value) { return value * factor; },
            [&](std::int64_t, std::int32_t column, T term) { w.add(product.y + column, term); });
    }
};

/// The same, a portion of the merge path by 32 lanes: for rows that are long.
template <class T>
struct csr_scatter_portion_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "CSR portion of rows and entries, transposed";
    static constexpr int steps = csr_merge_task<T>::steps;

    csr_matrix_view<T> a;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item portion, Worker& w) const {
        std::int64_t const total = a.row_count + a.row_offsets[a.row_count];
        std::int64_t const begin = portion * steps, end = begin + steps < total ? begin + steps : total;
        merge_point const first = merge_search(a.row_offsets, 0, a.row_count, begin);
        merge_point const last = merge_search(a.row_offsets, first.row, a.row_count, end);
        std::int64_t const last_row = last.row < a.row_count ? last.row : a.row_count - 1;
        for_each_in_range<2>(
            a.column_indices, a.values, first.entry, last.entry, w,
            [&](std::int64_t k, std::int32_t, T value) {
                std::int64_t const row = row_of_entry(a.row_offsets, first.row, last_row, k);
                return value * (product.factor * w.load(product.x + row));
            },
            [&](std::int64_t, std::int32_t column, T term) { w.add(product.y + column, term); });
    }
};

template <class T>
struct lanes_product<csr_matrix<T>> {
    template <template <class...> class List>
    using runs =
        std::tuple<List<csr_lane_task<T>>, List<csr_vector_task<T>>, List<csr_merge_task<T>, add_carries_task<T, 1>>,
                   List<scale_output<T>, csr_scatter_task<T>>, List<scale_output<T>, csr_scatter_portion_task<T>>>;

    template <class F>
    static run_report multiply(csr_content<T> const& a, std::shared_ptr<memory> const& workspace,
                               flat_product<T> const& p, F f) {
        switch (a.kernel) {
            case csr_kernel::merge_path:
                return by_merge_path(a, workspace, p, f);
            case csr_kernel::row_split:
                return f(task_range<csr_lane_task<T>>{{a.view(), a.entry_count, p}, a.row_count});
            default:
                return f(task_range<csr_vector_task<T>>{{a.view(), p}, a.row_count});
        }
    }
    template <class F>
    static run_report scatter(csr_content<T> const& a, std::int64_t y_size, bool reads_matrix, flat_product<T> const& p,
                              F f) {
        // Where the merge path is asked for; an automatic choice is one of the product by rows.
        if (a.options.kernel == csr_kernel::merge_path)
            return f(scaling_of(p, y_size),
                     task_range<csr_scatter_portion_task<T>>{{a.view(), p}, reads_matrix ? portions_of(a) : 0});
        return f(scaling_of(p, y_size), task_range<csr_scatter_task<T>>{{a.view(), p}, reads_matrix ? a.row_count : 0});
    }

  private:
    static std::int64_t portions_of(csr_content<T> const& a) {
        return stretches(a.row_count + a.entry_count, csr_merge_task<T>::steps);
    }
    template <class F>
    static run_report by_merge_path(csr_content<T> const& a, std::shared_ptr<memory> const& workspace,
                                    flat_product<T> const& p, F f) {
        std::int64_t const portions = portions_of(a);
        buffer<row_carry<T>> const carries(workspace, portions);
        add_carries_task<T, 1> const add{carries.data(), portions, p};
        return f(task_range<csr_merge_task<T>>{{a.view(), p, carries.data()}, portions},
                 task_range<add_carries_task<T, 1>>{add, add.items(portions)});
    }
};

}  // namespace copse::detail
