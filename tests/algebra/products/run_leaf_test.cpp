// Runs of a leaf times x: each row's sum once, of exactly the entries that the runs have, in the order of the runs.
#include <gtest/gtest.h>

#include <copse/algebra/products/run_leaf.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/seed.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

struct run_of_test {
    int row, column, entries;
};

/// sums[row] = what add_runs_by_rows gives; visits[row] counts.
template <class T, class V, int Width>
struct add_runs {
    using item = std::int64_t;
    static constexpr int width = Width;
    run_leaf_view<T> leaf;
    int rows;
    V const* x;
    V* sums;
    std::int64_t* visits;

    template <class Worker>
    void operator()(item, Worker& w) const {
        detail::add_runs_by_rows(leaf, rows, x, w, [&](int row, V sum) {
            sums[row] = sum;
            w.add(&visits[row], 1);
        });
    }
};

/// Vectors are as long as what may be read: the address sanitizer sees their ends.
template <class T, class V, int Width>
void check_runs(std::vector<run_of_test> const& runs, int rows, int columns) {
    SCOPED_TRACE(std::to_string(runs.size()) + " runs, " + std::to_string(rows) + " rows");
    std::vector<std::uint8_t> first_rows, first_columns, last;
    std::vector<T> values;
    std::vector<V> x(static_cast<std::size_t>(columns)), expected(static_cast<std::size_t>(rows), V(0));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<V>(3 * j + 2);
    for (auto const& run : runs) {
        first_rows.push_back(static_cast<std::uint8_t>(run.row));
        first_columns.push_back(static_cast<std::uint8_t>(run.column));
        last.push_back(static_cast<std::uint8_t>(run.entries - 1));
        for (int i = 0; i < run.entries; ++i) {
            values.push_back(static_cast<T>(values.size() % 1000 + 1));
            expected[static_cast<std::size_t>(run.row + i)] +=
                static_cast<V>(values.back()) * x[static_cast<std::size_t>(run.column + i)];
        }
    }
    emulated executor;
    buffer<V> const sums(executor, std::vector<V>(expected.size(), std::numeric_limits<V>::quiet_NaN()));
    buffer<std::int64_t> const visits(executor, std::vector<std::int64_t>(expected.size(), 0));
    run_leaf_view<T> const leaf{
        {}, {first_rows.data(), first_columns.data(), last.data(), static_cast<int>(runs.size())}, values.data()};
    using task = add_runs<T, V, Width>;
    run(executor, seed<task>(0), task{leaf, rows, x.data(), sums.data(), visits.data()});
    EXPECT_EQ(sums.to_host(), expected);
    EXPECT_EQ(visits.to_host(), std::vector<std::int64_t>(expected.size(), 1));
}

void check_runs_of_all_types(std::vector<run_of_test> const& runs, int rows, int columns) {
    check_runs<double, double, 32>(runs, rows, columns);
    check_runs<float, float, 32>(runs, rows, columns);
    check_runs<float, double, 32>(runs, rows, columns);
    check_runs<double, double, 8>(runs, rows, columns);
    check_runs<float, float, 128>(runs, rows, columns);
}

TEST(run_products, of_runs_that_share_rows) {
    check_runs_of_all_types({{0, 1, 127}, {0, 0, 128}, {1, 0, 127}}, 128, 128);
    check_runs_of_all_types({{5, 0, 6}}, 64, 64);
    check_runs_of_all_types({{0, 0, 1}, {63, 63, 1}}, 64, 64);
}

TEST(run_products, of_leaves_at_the_end_of_a_matrix) {
    check_runs_of_all_types({{0, 3, 30}, {12, 0, 21}}, 33, 33);
    check_runs_of_all_types({{2, 2, 1}}, 3, 3);
    check_runs_of_all_types({}, 5, 5);
}

TEST(run_products, beyond_the_rows_that_registers_hold) {
    check_runs_of_all_types({{0, 0, 256}, {100, 0, 156}, {0, 130, 126}, {250, 250, 6}}, 256, 256);
    check_runs_of_all_types({{127, 0, 2}}, 129, 129);
}

TEST(run_products, of_more_runs_than_lanes) {
    std::vector<run_of_test> runs;
    for (int k = 0; k < 71; ++k) runs.push_back({k, 70 - k, 20 + k % 7});
    check_runs_of_all_types(runs, 128, 128);
}

}  // namespace
}  // namespace copse::tests
