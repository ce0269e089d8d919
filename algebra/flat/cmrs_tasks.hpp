// Products of CMRS on executors with many lanes: a strip is an item of 32 lanes (Koza et al., §4, Algorithm 1).
//
//   sums on chip, [row][column of sums]: lane l adds to column l, so that no two add to one place; in the padded form
//   to column l mod M of M columns (§6.7). Then a row's columns are added by 32 / (rows, rounded up to a power of two)
//   lanes.
//
// The paper's strip is one item however long it is: one row of millions of entries is one warp's work. Where the
// matrix's options ask for it, long strips are cut: each stretch leaves a carry for each row of the strip.
#pragma once

#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/flat/row_carries.hpp>
#include <copse/algebra/products/strided_loads.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/runtime/buffer.hpp>
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

/// The sums of a strip's rows over some of its places, by 32 lanes.
template <class T>
struct cmrs_sums {
    cmrs_view<T> a;
    strip_sums_shape shape;
    T const* x;

    /// write(row in the strip, sum), each by one lane, for `height` rows: also where the last strip has fewer.
    template <class Worker, class Write>
    COPSE_HOST_DEVICE COPSE_INLINE void of_places(std::int64_t begin, std::int64_t end, Worker& w, Write write) const {
        auto const sums = w.template scratch<T>(shape.place(a.height, 0));
        for (int i = w.rank(); i < shape.place(a.height, 0); i += w.size()) sums[i] = T(0);
        w.sync();
        a.per_row > 0 ? add_chunks(begin, end, sums, w) : add_entries(begin, end, sums, w);
        w.sync();
        int const row = w.rank() >> shape.lanes_log2, part = w.rank() & ((1 << shape.lanes_log2) - 1);
        T sum = row < a.height ? sum_of_portion(row, part, sums) : T(0);
        for (int lanes = 1 << shape.lanes_log2 >> 1; lanes > 0; lanes /= 2)
            sum += w.shuffle(sum, (w.rank() + lanes) % w.size());
        if (part == 0 && row < a.height) write(row, sum);
        w.sync();  // the sums' memory is the next item's
    }

  private:
    /// Each lane has a column of sums to itself. Of long strips reading begins at the multiple of 32 entries before
    /// them.
    template <class Sums, class Worker>
    COPSE_HOST_DEVICE void add_entries(std::int64_t begin, std::int64_t end, Sums const& sums, Worker& w) const {
        for_each_in_range(
            a.words, a.values, a.aligned ? begin / 32 * 32 : begin, end, w,
            [&](std::int64_t, std::uint32_t word, T value) { return value * w.load(x + a.column_of(word)); },
            [&](std::int64_t k, std::uint32_t word, T term) {
                if (k >= begin) sums[shape.place(a.row_of(word), w.rank())] += term;
            });
    }
    /// Lanes that share a column of sums want different rows of it, in one chunk.
    template <class Sums, class Worker>
    COPSE_HOST_DEVICE void add_chunks(std::int64_t begin, std::int64_t end, Sums const& sums, Worker& w) const {
        int constexpr at_once = 4;  // whose loads are on their way before the first is needed
        for (std::int64_t k = begin + w.rank(); k < end; k += at_once * w.size()) {
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
                if (words[i] != a.padding) values[i] *= w.load(x + a.column_of(words[i]));
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
    COPSE_HOST_DEVICE T sum_of_portion(int row, int part, Sums const& sums) const {
        int const portion = 1 << (shape.columns_log2 - shape.lanes_log2);
        T sum = T(0);
        for (int i = 0; i < portion; ++i) sum += sums[shape.place(row, part * portion + ((i + row) & (portion - 1)))];
        return sum;
    }
};

/// Long strips are cut (cmrs_options::stretch): one of n places, n >= 2 * least, into n / least stretches of equal
/// length but for the multiples of 32 at which they begin.
///
///   number    (strip's first place) / least + 0, 1, ...    least = 100, strips of 250, 40 and 210 places: 0 1 | | 2 3
///
/// Two strips that follow each other have no number in common, and place (number + 1) * least - 1 is in the strip.
struct cmrs_stretches {
    std::int64_t least;  // 0: no strip is cut

    COPSE_HOST_DEVICE bool cuts(std::int64_t places) const { return least > 0 && places >= 2 * least; }
    /// Numbers, some of which no stretch has.
    std::int64_t numbers(std::int64_t places) const { return least > 0 ? places / least : 0; }

    struct stretch {
        std::int64_t strip, begin, end;
        std::int64_t first, count;  // of the strip: numbers first .. first + count - 1
    };
    /// count == 0: no stretch has the number.
    template <class T>
    COPSE_HOST_DEVICE stretch at(std::int64_t number, cmrs_view<T> const& a) const {
        stretch s{row_of_entry(a.strip_offsets, 0, a.strip_count - 1, (number + 1) * least - 1), 0, 0, 0, 0};
        std::int64_t const begin = a.strip_offsets[s.strip], places = a.strip_offsets[s.strip + 1] - begin;
        s.first = begin / least;
        if (!cuts(places) || number - s.first >= places / least) return s;
        s.count = places / least;
        auto const bound = [&](std::int64_t which) {
            if (which == 0 || which == s.count) return begin + (which == 0 ? 0 : places);
            return (begin + places * which / s.count) / 32 * 32;
        };
        s.begin = bound(number - s.first);
        s.end = bound(number - s.first + 1);
        return s;
    }
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
    cmrs_stretches stretches;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item strip, Worker& w) const {
        std::int64_t const begin = a.strip_offsets[strip], end = a.strip_offsets[strip + 1];
        int const rows = a.rows_in(strip);
        // Rows of a strip that is cut get their sums later.
        cmrs_sums<T>{a, shape, product.x}.of_places(begin, stretches.cuts(end - begin) ? begin : end, w,
                                                    [&](int row, T sum) {
                                                        if (row < rows) product.write(a.first_row(strip) + row, sum);
                                                    });
    }
};

/// A stretch of a long strip. The carries of a strip: for each row those of all stretches, [row][stretch].
template <class T, int Places>
struct cmrs_stretch_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr std::size_t scratch_bytes = Places * sizeof(T);
    static constexpr char const* name = Places == 256 ? "CMRS stretch, 256 sums" : "CMRS stretch, 512 sums";

    cmrs_view<T> a;
    strip_sums_shape shape;
    flat_product<T> product;
    cmrs_stretches stretches;
    row_carry<T>* carries;  // [stretches.numbers()][height]

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item number, Worker& w) const {
        auto const s = stretches.at(number, a);
        if (s.count == 0) {
            if (w.rank() < a.height) carries[number * a.height + w.rank()].row = -1;
            return;
        }
        int const rows = a.rows_in(s.strip);
        row_carry<T>* const own = carries + s.first * a.height + (number - s.first);
        cmrs_sums<T>{a, shape, product.x}.of_places(s.begin, s.end, w, [&](int row, T sum) {
            own[row * s.count] = {row < rows ? a.first_row(s.strip) + row : -1, sum};
        });
    }
};

/// y += factor * A^T * x by the places begin .. end - 1 of a strip, by 32 lanes.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void scatter_places(cmrs_view<T> const& a, std::int64_t strip, std::int64_t begin,
                                                   std::int64_t end, flat_product<T> const& product, Worker& w) {
    auto const is_entry = [&](std::uint32_t word) { return a.per_row == 0 || word != a.padding; };
    auto const term = [&](std::int64_t, std::uint32_t word, T value) {
        int const row = is_entry(word) ? a.row_of(word) : 0;
        return value * (product.factor * w.load(product.x + a.first_row(strip) + row));
    };
    for_each_in_range<2>(a.words, a.values, begin, end, w, term, [&](std::int64_t, std::uint32_t word, T sum) {
        if (is_entry(word)) w.add(product.y + a.column_of(word), sum);
    });
}

template <class T>
struct cmrs_scatter_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "CMRS strip, transposed";

    cmrs_view<T> a;
    flat_product<T> product;
    cmrs_stretches stretches;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item strip, Worker& w) const {
        std::int64_t const begin = a.strip_offsets[strip], end = a.strip_offsets[strip + 1];
        if (!stretches.cuts(end - begin)) scatter_places(a, strip, begin, end, product, w);
    }
};

template <class T>
struct cmrs_scatter_stretch_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "CMRS stretch, transposed";

    cmrs_view<T> a;
    flat_product<T> product;
    cmrs_stretches stretches;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item number, Worker& w) const {
        auto const s = stretches.at(number, a);
        if (s.count > 0) scatter_places(a, s.strip, s.begin, s.end, product, w);
    }
};

template <class T>
struct lanes_product<cmrs<T>> {
    template <template <class...> class List>
    using runs = std::tuple<List<cmrs_strip_task<T, 256>>, List<cmrs_strip_task<T, 512>>,
                            List<cmrs_strip_task<T, 256>, cmrs_stretch_task<T, 256>, add_carries_task<T, 1>>,
                            List<cmrs_strip_task<T, 512>, cmrs_stretch_task<T, 512>, add_carries_task<T, 1>>,
                            List<scale_output<T>, cmrs_scatter_task<T>>,
                            List<scale_output<T>, cmrs_scatter_task<T>, cmrs_scatter_stretch_task<T>>>;

    template <class F>
    static run_report multiply(cmrs_content<T> const& a, std::shared_ptr<memory> const& workspace,
                               flat_product<T> const& p, F f) {
        auto const shape = strip_sums_shape::of(a.height, a.options.per_row);
        return shape.place(a.height, 0) <= 256 ? by_strips<256>(a, workspace, shape, p, f)
                                               : by_strips<512>(a, workspace, shape, p, f);
    }
    template <class F>
    static run_report scatter(cmrs_content<T> const& a, std::int64_t y_size, bool reads_matrix,
                              flat_product<T> const& p, F f) {
        cmrs_stretches const cut{a.options.stretch};
        std::int64_t const numbers = cut.numbers(a.stored_count);
        task_range<cmrs_scatter_task<T>> const strips{{a.view(), p, cut}, reads_matrix ? a.strip_count : 0};
        if (numbers == 0) return f(scaling_of(p, y_size), strips);
        return f(scaling_of(p, y_size), strips,
                 task_range<cmrs_scatter_stretch_task<T>>{{a.view(), p, cut}, reads_matrix ? numbers : 0});
    }

  private:
    template <int Places, class F>
    static run_report by_strips(cmrs_content<T> const& a, std::shared_ptr<memory> const& workspace,
                                strip_sums_shape const& shape, flat_product<T> const& p, F f) {
        cmrs_stretches const cut{a.options.stretch};
        std::int64_t const numbers = cut.numbers(a.stored_count), carry_count = numbers * a.height;
        task_range<cmrs_strip_task<T, Places>> const strips{{a.view(), shape, p, cut}, a.strip_count};
        if (numbers == 0) return f(strips);
        buffer<row_carry<T>> const carries(workspace, carry_count);
        add_carries_task<T, 1> const add{carries.data(), carry_count, p};
        return f(strips, task_range<cmrs_stretch_task<T, Places>>{{a.view(), shape, p, cut, carries.data()}, numbers},
                 task_range<add_carries_task<T, 1>>{add, add.items(carry_count)});
    }
};

}  // namespace copse::detail
