// Values for rows by a plan (algebra/for_each_row.hpp).
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/plans/plan_matrices.hpp>
#include <copse/algebra/for_each_row.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::tests {

/// What is known of a row's entries.
struct row_facts {
    std::int64_t entries;
    double sum;
    double least;

    bool operator==(row_facts const&) const = default;
};
inline constexpr row_facts no_facts{0, 0.0, 1e300};

/// Of an entry's place and value: an error in one of them changes the facts.
struct facts_of_entry {
    COPSE_HOST_DEVICE row_facts operator()(std::int64_t row, std::int64_t column, double value) const {
        return {1, value * static_cast<double>(1 + column % 97), value + static_cast<double>(row % 7 - column % 13)};
    }
};
struct join_facts {
    COPSE_HOST_DEVICE row_facts operator()(row_facts const& a, row_facts const& b) const {
        return {a.entries + b.entries, a.sum + b.sum, a.least < b.least ? a.least : b.least};
    }
};
/// Adds to memory of the row's own, not atomically.
struct write_facts {
    row_facts* facts;
    std::int64_t* calls;
    COPSE_HOST_DEVICE void operator()(std::int64_t row, row_facts const& r) const {
        facts[row] = r;
        ++calls[row];
    }
};

/// Each row once. The test's sums of whole numbers are exact.
template <class Executor>
void check_rows_of(Executor& executor, spmv_plan<double> const& plan) {
    auto const entries = to_coo(plan.matrix());
    auto const rows = static_cast<std::size_t>(plan.row_count());
    std::vector<row_facts> expected(rows, no_facts);
    for (std::size_t k = 0; k < entries.values.size(); ++k) {
        auto& facts = expected[static_cast<std::size_t>(entries.rows[k])];
        facts = join_facts()(facts, facts_of_entry()(entries.rows[k], entries.columns[k], entries.values[k]));
    }
    buffer<row_facts> const facts(executor, std::vector<row_facts>(rows, row_facts{-1, 0, 0}));
    buffer<std::int64_t> const calls(executor, std::vector<std::int64_t>(rows, 0));
    for_each_row(executor, plan, no_facts, facts_of_entry(), join_facts(), write_facts{facts.data(), calls.data()});
    EXPECT_EQ(calls.to_host(), std::vector<std::int64_t>(rows, 1));
    EXPECT_TRUE(facts.to_host() == expected);
}

template <class Executor>
void check_rows_of(Executor& executor, coo<double> entries) {
    SCOPED_TRACE(std::to_string(entries.row_count) + " rows");
    for (std::size_t k = 0; k < entries.values.size(); ++k) entries.values[k] = static_cast<double>(k % 31) - 15;
    spmv_plan<double> const plan(executor, hisparse<double>(executor.memory(), entries, {.node_dimension = 64}));
    check_rows_of(executor, plan);
    check_rows_of(executor, scaled(transposed(plan), -2));
}

/// Rows that several of the lanes' parts share, a dense leaf, streaks, lists.
inline coo<double> matrix_with_a_split() {
    return matrix_where(
        200, 150, [](auto i, auto j) { return (i >= 64 && i < 128) || i == j || j == i + 3 || (i * 5 + j) % 61 == 0; });
}

template <class Executor>
void check_rows(Executor& executor) {
    for (auto const& entries :
         {matrix_with_a_split(), wide_leaves_of_many_sizes(), empty_matrix(300, 5), empty_matrix(0, 0)})
        check_rows_of(executor, entries);
}

struct multiply_by_column {
    COPSE_HOST_DEVICE double operator()(std::int64_t, std::int64_t column, double value) const {
        return value * (1.0 / static_cast<double>(column + 3));
    }
};
struct add_values {
    COPSE_HOST_DEVICE double operator()(double a, double b) const { return a + b; }
};
struct write_value {
    double* y;
    COPSE_HOST_DEVICE void operator()(std::int64_t row, double r) const { y[row] = r; }
};

/// Sums that rounding makes different in another order.
template <class Executor>
std::vector<double> rounded_sums(Executor& executor, spmv_plan<double> const& plan) {
    buffer<double> const y(executor, plan.row_count());
    for_each_row(executor, plan, 0.0, multiply_by_column(), add_values(), write_value{y.data()});
    return y.to_host();
}

}  // namespace copse::tests
