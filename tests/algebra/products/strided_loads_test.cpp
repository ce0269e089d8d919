// Stretches of two arrays as the lanes of a worker share them: each place once, wherever the stretch begins and ends.
#include <gtest/gtest.h>

#include <copse/algebra/products/strided_loads.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

/// visits[place] counts, and sums[place] has what prepare and use were given there. neighbours: how often a lane
/// went on to the next place.
template <class T, int Width>
struct visit_range {
    using item = std::int64_t;
    static constexpr int width = Width;
    std::int32_t const* keys;
    T const* values;
    std::int64_t begin;
    std::int64_t end;
    std::int64_t* visits;
    double* sums;
    std::int64_t* neighbours;

    template <class Worker>
    void operator()(item, Worker& w) const {
        std::int64_t before = -2;
        detail::for_each_in_range(
            keys, values, begin, end, w,
            [&](std::int64_t place, std::int32_t key, T value) {
                w.add(&visits[place], 1);
                return key == 3 * place ? value : T(-1);
            },
            [&](std::int64_t place, std::int32_t key, T value) {
                if (place == before + 1) w.add(neighbours, 1);
                before = place;
                w.add(&sums[place], static_cast<double>(value) + key);
            });
    }
};

template <class T, int Width>
void check_range(std::int64_t begin, std::int64_t end, std::int64_t size) {
    SCOPED_TRACE(std::to_string(begin) + " .. " + std::to_string(end) + " of " + std::to_string(size));
    emulated executor({.seed = static_cast<std::uint64_t>(end)});
    auto const n = static_cast<std::size_t>(size);
    std::vector<std::int32_t> keys(n);  // no more: the address sanitizer sees what is beyond
    std::vector<T> values(n);
    std::vector<std::int64_t> visits(n), expected(n);
    std::vector<double> sums(n), wanted(n);
    for (std::size_t i = 0; i < n; ++i) {
        auto const place = static_cast<std::int64_t>(i);
        keys[i] = static_cast<std::int32_t>(3 * i);
        values[i] = static_cast<T>(i + 1);
        expected[i] = begin <= place && place < end ? 1 : 0;
        wanted[i] = expected[i] == 0 ? 0 : static_cast<double>(4 * i + 1);
    }
    std::int64_t neighbours = 0;
    using task = visit_range<T, Width>;
    run(executor, seed<task>(0), task{keys.data(), values.data(), begin, end, visits.data(), sums.data(), &neighbours});
    EXPECT_EQ(visits, expected);
    EXPECT_EQ(sums, wanted);
    EXPECT_EQ(neighbours > 0, end - begin > Width);
}

template <class T, int Width>
void check_ranges() {
    for (std::int64_t begin : {0, 1, 2, 3, 4, 7})
        for (std::int64_t length :
             {0, 1, Width - 1, Width, Width + 1, 2 * Width + 3, 4 * Width, 4 * Width + 1, 9 * Width + 2})
            for (std::int64_t behind : {0, 1, 5}) check_range<T, Width>(begin, begin + length, begin + length + behind);
}

TEST(strided_loads, visit_each_place_of_a_range_once) {
    check_ranges<double, 8>();
    check_ranges<float, 8>();
    check_range<double, 32>(33, 299, 300);
    check_range<float, 32>(33, 299, 299);
}

}  // namespace
}  // namespace copse::tests
