// Products of CMRS on executors with many lanes: a strip is an item of 32 lanes (Koza et al., §4, Algorithm 1).
//
//   sums on chip, [row][column of sums]: lane l adds to column l, so that no two add to one place; in the padded form
//   to column l mod M of M columns (§6.7). Then a row's columns are added by 32 / (rows, rounded up to a power of two)
//   lanes.
#pragma once

#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/products/strided_loads.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace copse::detail {

/// How a strip's sums lie on chip, and who adds them up.
struct strip_sums_shape {
    int columns_log2;  // of 32, or M
    int lanes_log2;    // for a row, in the sum over columns

    static strip_sums_shape of(int height, int per_row) {
        int columns = 0, lanes = 5;
        while ((1 << columns) < (per_row > 0 ? per_row : 32)) ++columns;
        while (height << lanes > 32 || lanes > columns) --lanes;
        return {columns, lanes};
    }
    COPSE_HOST_DEVICE int columns() const { return 1 << columns_log2; }
    COPSE_HOST_DEVICE int place(int row, int column) const { return (row << columns_log2) + column; }
};

/// Places: sums on chip, height x columns at least. Fewer let more workers onto a multiprocessor.
template <class T, int Places>
struct cmrs_strip_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr std::size_t scratch_bytes = Places * sizeof(T);
    static constexpr char const* name = Places == 256 ? "CMRS strip, 256 sums" : "CMRS strip, 512 sums";

    cmrs_view<T> a;
    strip_sums_shape shape;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item strip, Worker& w) const {
        auto const sums = w.template scratch<T>(shape.place(a.height, 0));
        for (int i = w.rank(); i < shape.place(a.height, 0); i += w.size()) sums[i] = T(0);
        w.sync();
        a.per_row > 0 ? add_chunks(strip, sums, w) : add_entries(strip, sums, w);
        w.sync();
        int const row = w.rank() >> shape.lanes_log2, part = w.rank() & ((1 << shape.lanes_log2) - 1);
        T sum = row < a.height ? sum_of_share(row, part, sums) : T(0);
        for (int lanes = 1 << shape.lanes_log2 >> 1; lanes > 0; lanes /= 2)
            sum += w.shuffle(sum, (w.rank() + lanes) % w.size());
        if (part == 0 && row < a.rows_in(strip)) product.write(a.first_row(strip) + row, sum);
        w.sync();  // the sums' memory is the next item's
    }

  private:
    /// Each lane has a column of sums to itself. Of long strips reading begins at the multiple of 32 entries before
    /// them.
    template <class Sums, class Worker>
    COPSE_HOST_DEVICE void add_entries(item strip, Sums const& sums, Worker& w) const {
        std::int64_t const begin = a.strip_offsets[strip];
        for_each_in_range(
            a.words, a.values, a.aligned ? begin / 32 * 32 : begin, a.strip_offsets[strip + 1], w,
            [&](std::int64_t, std::uint32_t word, T value) { return value * w.load(product.x + a.column_of(word)); },
            [&](std::int64_t k, std::uint32_t word, T term) {
                if (k >= begin) sums[shape.place(a.row_of(word), w.rank())] += term;
            });
    }
    /// Lanes that share a column of sums want different rows of it, in one chunk.
    template <class Sums, class Worker>
    COPSE_HOST_DEVICE void add_chunks(item strip, Sums const& sums, Worker& w) const {
        std::int64_t const end = a.strip_offsets[strip + 1];
        int constexpr at_once = 4;  // whose loads are on their way before the first is needed
        for (std::int64_t k = a.strip_offsets[strip] + w.rank(); k < end; k += at_once * w.size()) {
            std::uint32_t words[at_once];
            T values[at_once];
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i) {
                bool const is_there = k + i * w.size() < end;
                words[i] = is_there ? w.load_stream(a.words + k + i * w.size()) : a.padding;
                values[i] = is_there ? w.load_stream(a.values + k + i * w.size()) : T(0);
            }
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i)
                if (words[i] != a.padding) values[i] *= w.load(product.x + a.column_of(words[i]));
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i) {
                if (words[i] != a.padding)
                    sums[shape.place(a.row_of(words[i]), w.rank() & (shape.columns() - 1))] += values[i];
                w.sync();  // in the next chunk another lane may want the same place
            }
        }
    }
    /// A part of a row's columns. Each row begins elsewhere in it: lanes side by side then read other banks.
    template <class Sums>
    COPSE_HOST_DEVICE T sum_of_share(int row, int part, Sums const& sums) const {
        int const share = 1 << (shape.columns_log2 - shape.lanes_log2);
        T sum = T(0);
        for (int i = 0; i < share; ++i) sum += sums[shape.place(row, part * share + ((i + row) & (share - 1)))];
        return sum;
    }
};

/// y += factor * A^T * x, a strip by 32 lanes.
template <class T>
struct cmrs_scatter_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "CMRS strip, transposed";

    cmrs_view<T> a;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item strip, Worker& w) const {
        auto const is_entry = [&](std::uint32_t word) { return a.per_row == 0 || word != a.padding; };
        auto const term = [&](std::int64_t, std::uint32_t word, T value) {
            int const row = is_entry(word) ? a.row_of(word) : 0;
            return value * (product.factor * w.load(product.x + a.first_row(strip) + row));
        };
        for_each_in_range<2>(a.words, a.values, a.strip_offsets[strip], a.strip_offsets[strip + 1], w, term,
                             [&](std::int64_t, std::uint32_t word, T sum) {
                                 if (is_entry(word)) w.add(product.y + a.column_of(word), sum);
                             });
    }
};

template <class T>
struct lanes_product<cmrs<T>> {
    template <template <class...> class List>
    using runs = std::tuple<List<cmrs_strip_task<T, 256>>, List<cmrs_strip_task<T, 512>>,
                            List<scale_output<T>, cmrs_scatter_task<T>>>;

    template <class F>
    static run_report multiply(cmrs_content<T> const& a, std::shared_ptr<memory> const&, flat_product<T> const& p,
                               F f) {
        auto const shape = strip_sums_shape::of(a.height, a.options.per_row);
        if (shape.place(a.height, 0) <= 256)
            return f(task_range<cmrs_strip_task<T, 256>>{{a.view(), shape, p}, a.strip_count});
        return f(task_range<cmrs_strip_task<T, 512>>{{a.view(), shape, p}, a.strip_count});
    }
    template <class F>
    static run_report scatter(cmrs_content<T> const& a, std::int64_t y_size, bool reads_matrix,
                              flat_product<T> const& p, F f) {
        return f(scaling_of(p, y_size),
                 task_range<cmrs_scatter_task<T>>{{a.view(), p}, reads_matrix ? a.strip_count : 0});
    }
};

}  // namespace copse::detail
