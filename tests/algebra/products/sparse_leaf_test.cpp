// Lists of entries as the lanes of a worker share them: each entry once, whatever stretch of the list is asked for, and
// nothing of the padding.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <copse/algebra/products/sparse_leaf.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

template <class T, class Coordinate>
struct list_view {
    entry_values<T> values;
    Coordinate const* rows;
    Coordinate const* columns;
};

/// sums[row] += the row's products of entries first .. last - 1; calls[lane]: how often the lane's function was called.
template <class T, class Coordinate, int Width>
struct add_list {
    using item = std::int64_t;
    static constexpr int width = Width;
    list_view<T, Coordinate> list;
    int first;
    int last;
    double const* x;
    double* sums;
    std::int64_t* calls;

    template <class Worker>
    void operator()(item, Worker& w) const {
        detail::for_each_product(list, first, last, x, w, [&](bool mine, int row, double product) {
            ++calls[w.rank()];
            w.sync();  // collective: all come equally often
            if (mine) w.add(&sums[row], product);
        });
    }
};

/// Entry k is (k mod 7, k mod 11, k + 1), and behind the last there is what must not be added: NaN in x meets it.
template <class T, class Coordinate, int Width>
void check_stretch(int count, int first, int last) {
    SCOPED_TRACE(std::to_string(first) + " .. " + std::to_string(last) + " of " + std::to_string(count));
    emulated executor({.seed = static_cast<std::uint64_t>(last)});
    auto const padded = static_cast<std::size_t>((count + 3) / 4 * 4);
    std::vector<T> values(padded, T(1));
    std::vector<Coordinate> rows(padded, 0), columns(padded, 11);
    std::vector<double> x(12, std::numeric_limits<double>::quiet_NaN()), expected(7, 0.0);
    for (int k = 0; k < count; ++k) {
        auto const i = static_cast<std::size_t>(k);
        values[i] = static_cast<T>(k + 1);
        rows[i] = static_cast<Coordinate>(k % 7);
        columns[i] = static_cast<Coordinate>(k % 11);
        x[i % 11] = static_cast<double>(k % 11 + 1);
        if (k >= first && k < last) expected[i % 7] += (k + 1.0) * (k % 11 + 1);
    }
    buffer<T> const v(executor, values);
    buffer<Coordinate> const r(executor, rows), c(executor, columns);
    buffer<double> const of_x(executor, x), sums(executor, std::vector<double>(7, 0.0));
    buffer<std::int64_t> const calls(executor, std::vector<std::int64_t>(Width, 0));
    using task = add_list<T, Coordinate, Width>;
    run(executor, seed<task>(0),
        task{{v.data(), r.data(), c.data()}, first, last, of_x.data(), sums.data(), calls.data()});
    EXPECT_EQ(sums.to_host(), expected);  // whole numbers: exact in any order
    std::vector<std::int64_t> const called = calls.to_host();
    EXPECT_EQ(called, std::vector<std::int64_t>(Width, called[0]));
}

template <class T, class Coordinate, int Width>
void check_stretches() {
    for (int count : {1, 2, 3, Width, Width + 1, 2 * Width + 3, 4 * Width, 4 * Width + 1, 9 * Width + 2}) {
        check_stretch<T, Coordinate, Width>(count, 0, count);
        for (int first : {1, 2, 3, 5})
            if (first < count) check_stretch<T, Coordinate, Width>(count, first, count - count % 3);
    }
}

TEST(sparse_products, has_each_entry_of_a_stretch_once) {
    check_stretches<double, std::uint8_t, 8>();
    check_stretches<float, std::uint8_t, 8>();
    check_stretches<double, std::uint16_t, 8>();
    check_stretches<float, std::uint16_t, 8>();
    check_stretch<double, std::uint8_t, 32>(300, 0, 300);
    check_stretch<float, std::uint16_t, 32>(300, 33, 299);
}

}  // namespace
}  // namespace copse::tests
