// Functions for all leaves, and values from all entries, of one matrix and of two (algebra/for_each_leaf.hpp,
// algebra/for_each_leaf.hpp).
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/visit_rows.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <formats/node_pairs_suite.hpp>
#include <formats/visit_entries_suite.hpp>
#include <vector>

namespace copse::tests {

struct add_numbers {
    template <class T>
    COPSE_HOST_DEVICE T operator()(T a, T b) const {
        return a + b;
    }
};
struct take_larger {
    COPSE_HOST_DEVICE double operator()(double a, double b) const { return a > b ? a : b; }
};
struct take_value {
    COPSE_HOST_DEVICE double operator()(std::int64_t, std::int64_t, double v) const { return v; }
};
/// Of an entry's place: an error in a coordinate changes the sum.
struct take_place {
    COPSE_HOST_DEVICE std::int64_t operator()(std::int64_t row, std::int64_t column, double) const {
        return 31 * row + column * column;
    }
};
/// By leaf: each lane says what it has.
struct count_lanes {
    template <class Worker>
    COPSE_HOST_DEVICE std::int64_t operator()(Worker& w, tree_view<double> const& tree, node leaf) const {
        std::int64_t entries = 0;
        for_each_entry(w, tree, leaf, [&](std::int64_t, std::int64_t, double) { ++entries; });
        return entries;
    }
};
struct multiply_values {
    COPSE_HOST_DEVICE double operator()(std::int64_t, std::int64_t, double a, double b) const { return a * b; }
};
struct subtract_values {
    COPSE_HOST_DEVICE double operator()(std::int64_t row, std::int64_t, maybe<double> a, maybe<double> b) const {
        return (a.value_or(0) - b.value_or(0)) * static_cast<double>(row + 1);
    }
};
struct count_pairs {
    template <class Worker>
    COPSE_HOST_DEVICE std::int64_t operator()(Worker& w, tree_pair<double> const&, node_pair const& pair) const {
        return w.rank() == 0 && pair.a && pair.b ? 1 : 0;
    }
};
/// Row sums by tiles: one for the rows of each part.
struct sum_rows {
    static constexpr std::size_t scratch_bytes = 64 * sizeof(double);
    double* sums;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<double> const& tree, node leaf) const {
        for_each_block(w, tree, leaf, [&](node part) {
            auto const rows = tree.rows_of(part);
            auto tile = w.tile(sums + rows.first, static_cast<int>(rows.count));
            for_each_entry_together(w, tree, part, [&](tree_entry<double> const& e) {
                tile.add(e ? static_cast<int>(e.row - rows.first) : -1, e.value);
            });
            tile.close();
        });
    }
};

/// The entries' own numbers are whole, so sums are exact.
template <class Executor>
void check_reductions_of(Executor& executor, hisparse<double> const& a) {
    auto const entries = to_coo(a);
    double sum = 0, largest = -1e300;
    std::int64_t places = 0;
    std::vector<double> rows(static_cast<std::size_t>(a.row_count()), 0.0);
    for (std::size_t k = 0; k < entries.values.size(); ++k) {
        sum += entries.values[k];
        largest = std::max(largest, entries.values[k]);
        places += take_place()(entries.rows[k], entries.columns[k], 0);
        rows[static_cast<std::size_t>(entries.rows[k])] += entries.values[k];
    }
    EXPECT_EQ(reduce_leaves(executor, a, 0.0, take_value(), add_numbers()), sum);
    EXPECT_EQ(reduce_leaves(executor, a, -1e300, take_value(), take_larger()), largest);
    EXPECT_EQ(reduce_leaves(executor, a, std::int64_t{0}, take_place(), add_numbers()), places);
    EXPECT_EQ(reduce_leaves(executor, a, std::int64_t{0}, count_lanes(), add_numbers()), a.entry_count());

    buffer<double> const sums(executor, std::vector<double>(rows.size(), 0.0));
    for_each_leaf(executor, a, sum_rows{sums.data()});
    EXPECT_EQ(sums.to_host(), rows);
}

template <class Executor>
void check_reductions_of(Executor& executor, hisparse<double> const& a, hisparse<double> const& b) {
    double product = 0, difference = 0;
    for (noted_pair const& p : expected_pairs(pairs::either, a, b)) {
        product += p.a * p.b;
        difference += (p.a - p.b) * static_cast<double>(p.row + 1);
    }
    EXPECT_EQ(reduce_leaves(executor, a, b, 0.0, multiply_values(), add_numbers()), product);
    EXPECT_EQ(reduce_leaves<pairs::either>(executor, a, b, 0.0, subtract_values(), add_numbers()), difference);
    std::int64_t met = 0, with_both = reduce_leaves<pairs::either>(executor, a, b, met, count_pairs(), add_numbers());
    EXPECT_EQ(reduce_leaves(executor, a, b, met, count_pairs(), add_numbers()), with_both);
}

/// Without all cases: one matrix and one pair.
template <class Executor>
void check_reductions(Executor& executor, bool all_cases = true) {
    hisparse<double> const a(executor.memory(), leaves_of_all_kinds<double>(), {.node_dimension = 64});
    check_reductions_of(executor, scaled(transposed(a), -2));
    coo<double> other = leaves_of_all_kinds<double>();
    for (std::int32_t& column : other.columns) column = (column + 70) % 4096;
    hisparse<double> const b(executor.memory(), other, {.node_dimension = 64});
    check_reductions_of(executor, a, b);
    if (!all_cases) return;
    check_reductions_of(executor, a);
    check_reductions_of(executor, transposed(a), scaled(transposed(b), 3));
    check_reductions_of(executor, a, a);

    hisparse<double> const none(executor.memory(), empty_matrix(a.row_count(), a.column_count()),
                                {.node_dimension = 64});
    EXPECT_EQ(reduce_leaves(executor, none, 4.5, take_value(), add_numbers()), 4.5);
    EXPECT_EQ(reduce_leaves(executor, none, a, 0.0, multiply_values(), add_numbers()), 0);
    check_reductions_of(executor, none, a);
}

}  // namespace copse::tests
