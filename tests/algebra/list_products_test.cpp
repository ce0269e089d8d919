// Lists of entries as the lanes of a worker share them: each entry once, whatever stretch of the list is asked for, and
// nothing of the padding.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <copse/algebra/list_products.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/seed.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

template <class T, class Coordinate>
struct list_view {
    T const* values;
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

TEST(list_products, has_each_entry_of_a_stretch_once) {
    check_stretches<double, std::uint8_t, 8>();
    check_stretches<float, std::uint8_t, 8>();
    check_stretches<double, std::uint16_t, 8>();
    check_stretches<float, std::uint16_t, 8>();
    check_stretch<double, std::uint8_t, 32>(300, 0, 300);
    check_stretch<float, std::uint16_t, 32>(300, 33, 299);
}

/// products[i] += values[i] * x[i]; visits[i] counts.
template <class T, class V, int Width>
struct add_run {
    using item = std::int64_t;
    static constexpr int width = Width;
    T const* values;
    int last;
    V const* x;
    V* products;
    std::int64_t* visits;

    template <class Worker>
    void operator()(item, Worker& w) const {
        detail::for_each_product_of_run(values, last, x, w, [&](int i, V product) {
            products[i] += product;
            w.add(&visits[i], 1);
        });
    }
};

/// `count` values behind `before` others, and others behind them up to a multiple of 16 bytes, as in a node.
template <class T, class V, int Width>
void check_run(int before, int count) {
    SCOPED_TRACE(std::to_string(count) + " behind " + std::to_string(before));
    emulated executor;
    int constexpr wide = 16 / sizeof(T);
    auto const size = static_cast<std::size_t>(count), first = static_cast<std::size_t>(before);
    std::vector<T> values((first + size + wide - 1) / wide * wide, std::numeric_limits<T>::quiet_NaN());
    std::vector<V> x(size), expected(size);  // x is no buffer, which is longer: the address sanitizer sees its end
    for (std::size_t i = 0; i < size; ++i) {
        values[first + i] = static_cast<T>(i + 1);
        x[i] = static_cast<V>(3 * i + 2);
        expected[i] = static_cast<V>(i + 1) * x[i];
    }
    buffer<T> const v(executor, values);
    // What is beside the run is nobody's, not even to add 0 to: others may be at work there.
    std::size_t constexpr margin = 4;
    std::vector<std::int64_t> once(size + 2 * margin, 0);
    std::fill(once.begin() + margin, once.end() - margin, 1);
    expected.insert(expected.begin(), margin, V(0));
    expected.insert(expected.end(), margin, V(0));
    buffer<V> const products(executor, std::vector<V>(expected.size(), V(0)));
    buffer<std::int64_t> const visits(executor, std::vector<std::int64_t>(once.size(), 0));
    using task = add_run<T, V, Width>;
    run(executor, seed<task>(0),
        task{v.data() + before, count - 1, x.data(), products.data() + margin, visits.data() + margin});
    EXPECT_EQ(products.to_host(), expected);
    EXPECT_EQ(visits.to_host(), once);
}

TEST(list_products, has_each_entry_of_a_run_once) {
    for (int before : {0, 1, 2, 3})
        for (int count : {1, 7, 8, 9, 16, 31, 33, 64, 67}) {
            check_run<double, double, 8>(before, count);
            check_run<float, float, 8>(before, count);
            check_run<float, double, 8>(before, count);
        }
    for (int count : {32, 33, 100, 256}) {
        check_run<double, double, 32>(1, count);
        check_run<float, double, 32>(3, count);
    }
}

TEST(list_products, takes_neighbours_in_a_circle) {
    for (int by = 0; by < 4; ++by) {
        std::array<int, 4> const four = detail::rotate(std::array{0, 1, 2, 3}, by);
        for (int i = 0; i < 4; ++i) EXPECT_EQ(four[static_cast<std::size_t>(i)], (i + by) % 4);
    }
    EXPECT_EQ(detail::rotate(std::array{0, 1}, 0), (std::array{0, 1}));
    EXPECT_EQ(detail::rotate(std::array{0, 1}, 1), (std::array{1, 0}));
}

}  // namespace
}  // namespace copse::tests
