// Streaks of a leaf times x: each row's sum once, of exactly the entries that the streaks have, in the order of the
// streaks.
#include <gtest/gtest.h>

#include <copse/algebra/products/diagonal_leaf.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

struct streak_of_test {
    int row, column, entries;
};

/// sums[row] = what add_streaks_by_rows gives; visits[row] counts.
template <detail::leaf_place Place, class T, class V, int Width>
struct add_runs {
    using item = std::int64_t;
    static constexpr int width = Width;
    diagonal_leaf_view<T> leaf;
    int rows;
    V const* x;
    V* sums;
    std::int64_t* visits;

    template <class Worker>
    void operator()(item, Worker& w) const {
        detail::add_streaks_by_rows<Place>(leaf, rows, x, w, [&](int row, V sum) {
            sums[row] = sum;
            w.add(&visits[row], 1);
        });
    }
};

/// Vectors are as long as what may be read: the address sanitizer sees their ends.
template <detail::leaf_place Place, class T, class V, int Width>
void check_streaks(std::vector<streak_of_test> const& streaks, int rows, int columns, stored_values stored) {
    SCOPED_TRACE(std::to_string(streaks.size()) + " streaks, " + std::to_string(rows) + " rows" +
                 (stored == stored_values::once ? ", values once" : ""));
    std::vector<std::uint8_t> first_rows, first_columns, last;
    std::vector<T> values;
    std::vector<V> x(static_cast<std::size_t>(columns)), expected(static_cast<std::size_t>(rows), V(0));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<V>(3 * j + 2);
    for (auto const& streak : streaks) {
        first_rows.push_back(static_cast<std::uint8_t>(streak.row));
        first_columns.push_back(static_cast<std::uint8_t>(streak.column));
        last.push_back(static_cast<std::uint8_t>(streak.entries - 1));
        for (int i = 0; i < streak.entries; ++i) {
            if (i == 0 || stored == stored_values::each) values.push_back(static_cast<T>(values.size() % 1000 + 1));
            expected[static_cast<std::size_t>(streak.row + i)] +=
                static_cast<V>(values.back()) * x[static_cast<std::size_t>(streak.column + i)];
        }
    }
    emulated executor;
    buffer<V> const sums(executor, std::vector<V>(expected.size(), std::numeric_limits<V>::quiet_NaN()));
    buffer<std::int64_t> const visits(executor, std::vector<std::int64_t>(expected.size(), 0));
    diagonal_leaf_view<T> const leaf{
        {},
        {first_rows.data(), first_columns.data(), last.data(), static_cast<int>(streaks.size())},
        {values.data(), stored}};
    using task = add_runs<Place, T, V, Width>;
    run(executor, seed<task>(0), task{leaf, rows, x.data(), sums.data(), visits.data()});
    EXPECT_EQ(sums.to_host(), expected);
    EXPECT_EQ(visits.to_host(), std::vector<std::int64_t>(expected.size(), 1));
}

template <detail::leaf_place Place>
void check_streaks_of_all_types(std::vector<streak_of_test> const& streaks, int rows, int columns) {
    for (auto const stored : {stored_values::each, stored_values::once}) {
        check_streaks<Place, double, double, 32>(streaks, rows, columns, stored);
        check_streaks<Place, float, float, 32>(streaks, rows, columns, stored);
        check_streaks<Place, float, double, 32>(streaks, rows, columns, stored);
        check_streaks<Place, double, double, 8>(streaks, rows, columns, stored);
        check_streaks<Place, float, float, 128>(streaks, rows, columns, stored);
    }
}
void check_streaks_of_all_types(std::vector<streak_of_test> const& streaks, int rows, int columns) {
    check_streaks_of_all_types<detail::leaf_place::tree>(streaks, rows, columns);
    check_streaks_of_all_types<detail::leaf_place::on_chip>(streaks, rows, columns);
}

TEST(diagonal_products, of_runs_that_share_rows) {
    check_streaks_of_all_types({{0, 1, 127}, {0, 0, 128}, {1, 0, 127}}, 128, 128);
    check_streaks_of_all_types({{5, 0, 6}}, 64, 64);
    check_streaks_of_all_types({{0, 0, 1}, {63, 63, 1}}, 64, 64);
}

TEST(diagonal_products, of_leaves_at_the_end_of_a_matrix) {
    check_streaks_of_all_types({{0, 3, 30}, {12, 0, 21}}, 33, 33);
    check_streaks_of_all_types({{2, 2, 1}}, 3, 3);
    check_streaks_of_all_types({}, 5, 5);
}

TEST(diagonal_products, beyond_the_rows_that_registers_hold) {
    check_streaks_of_all_types({{0, 0, 256}, {100, 0, 156}, {0, 130, 126}, {250, 250, 6}}, 256, 256);
    check_streaks_of_all_types({{127, 0, 2}}, 129, 129);
}

TEST(diagonal_products, of_more_runs_than_lanes) {
    std::vector<streak_of_test> streaks;
    for (int k = 0; k < 71; ++k) streaks.push_back({k, 70 - k, 20 + k % 7});
    check_streaks_of_all_types(streaks, 128, 128);
}

}  // namespace
}  // namespace copse::tests
