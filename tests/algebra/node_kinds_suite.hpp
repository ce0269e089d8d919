// A matrix for every kind of node at every level that there can be, for each node dimension, and what every operation
// must do with it:
//
//   level      d = 64                           d = 128                          d = 256
//   0          sparse, dense, diagonal          the same                         the same
//   1          sparse, dense, wide              the same                         the same
//   2          sparse, dense                    sparse, dense                    sparse, dense (*)
//   3          sparse, dense (*)                sparse (*), dense (*)            sparse (*)
//   4          sparse (*), dense (*)            sparse (*)
//   5          sparse (*)
//
// (*): the vectors of a product would have more than most_rows elements: conversion, prune and sum only. A matrix of
// 2^31 rows has too few blocks for a dense node where none is listed.
#pragma once

#include <gtest/gtest.h>

#include <algebra/products/spmv_suite.hpp>
#include <algebra/sums/add_pairs.hpp>
#include <algorithm>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <formats/tree/prune_suite.hpp>
#include <string>
#include <utility>
#include <vector>

namespace copse::tests {

/// A matrix whose root is of this kind at this level, in a tree with this node dimension.
struct node_case {
    int node_dimension;
    int level;
    node_kind kind;
    coo<double> matrix;

    std::string name() const {
        char const* const kinds[]{"sparse", "dense", "diagonal", "wide"};
        return std::string(kinds[static_cast<int>(kind)]) + ", level " + std::to_string(level) + ", d " +
               std::to_string(node_dimension);
    }
    battery_case as_battery_case() const { return {name(), matrix}; }
};

/// Rows and columns of a node of this level's children.
inline std::int64_t child_size(int d, int level) {
    std::int64_t size = 1;
    for (int i = 0; i < level; ++i) size *= d;
    return size;
}

/// The fewest blocks side by side whose square makes a dense node.
inline int blocks_of_dense_node(int d) {
    int blocks = 1;
    while (detail::smallest_inner(blocks * blocks, d) != node_kind::dense) ++blocks;
    return blocks;
}

/// Whether blocks of that many rows fit a matrix of 2^31.
inline bool fits(int d, int level, int blocks) {
    return blocks <= d && blocks * child_size(d, level) <= std::int64_t{1} << 31;
}

/// An inner node with blocks x blocks children; of more entries each than a wide leaf would take, where it might.
inline coo<double> inner_node_matrix(int d, int level, int blocks) {
    std::int64_t const size = child_size(d, level);
    return blocks_of(blocks, static_cast<int>(size), level == 1 ? 17 : 1, 3, blocks * size);
}

/// Values that are exact in float and in sums, a third of them zero.
inline coo<double> with_plain_values(coo<double> a, int first) {
    for (std::size_t k = 0; k < a.values.size(); ++k)
        a.values[k] = static_cast<double>((k + first) % 3 * (k % 101 + 1));
    return a;
}

/// Every row of the table above.
inline std::vector<node_case> node_cases() {
    using enum node_kind;
    std::vector<node_case> cases;
    for (int d : {64, 128, 256}) {
        cases.push_back({d, 0, sparse, matrix_where(d, d, [](auto i, auto j) { return (7 * i + 13 * j) % 31 == 0; })});
        cases.push_back({d, 0, dense, matrix_where(d, d, [](auto i, auto) { return i % 6 != 5; })});
        cases.push_back({d, 0, diagonal, matrix_where(d, d, [](auto i, auto j) { return i == j || j == i + 9; })});
        cases.push_back({d, 1, wide, blocks_of(2, d, 1, 1, 2 * d)});
        for (int level = 1; fits(d, level, 2); ++level)
            cases.push_back({d, level, sparse, inner_node_matrix(d, level, 2)});
        int const many = blocks_of_dense_node(d);
        for (int level = 1; fits(d, level, many); ++level)
            cases.push_back({d, level, dense, inner_node_matrix(d, level, many)});
    }
    return cases;
}

/// Those that are run: with the address sanitizer, which takes many times as long, the small ones of d = 64.
inline std::vector<node_case> node_cases_to_run() {
    std::vector<node_case> cases = node_cases();
#if COPSE_ADDRESS_SANITIZER
    std::erase_if(cases, [](node_case const& c) { return c.node_dimension != 64 || c.matrix.entry_count() > 10'000; });
#endif
    return cases;
}

/// Longer vectors are not for a test.
inline constexpr std::int64_t most_rows = 2'000'000;
inline bool has_products(node_case const& c) {
    return c.matrix.row_count <= most_rows;
}
/// Few enough nodes and rows for lanes that are emulated.
inline bool is_for_lanes(node_case const& c) {
    return c.matrix.entry_count() < 10'000 && (c.matrix.row_count < 300'000 || !has_products(c));
}
/// Without thousands of paths down: of dense nodes add_kinds_test.cpp has sums in lanes.
inline bool is_small(node_case const& c) {
    return is_for_lanes(c) && (c.level == 0 || c.kind != node_kind::dense);
}

/// There and back; by rows in the executor's memory too, where there are at most so many.
template <class T, class Executor>
void check_conversion_of(Executor& executor, node_case const& c, std::int64_t rows_at_most = most_rows) {
    SCOPED_TRACE(c.name());
    coo<T> const entries = with_values_of<T>(c.matrix);
    hisparse<T> const a(executor, entries, {.node_dimension = c.node_dimension});
    EXPECT_EQ(a.root().reference.level(), c.level);
    EXPECT_EQ(a.root().reference.kind(), c.kind);
    coo<T> const expected = with_values_of<T>(in_order(c.matrix));
    expect_entries_of(a, expected);
    coo<double> turned = c.matrix;
    std::swap(turned.rows, turned.columns);
    expect_entries_of(transposed(a), with_values_of<T>(in_order(turned)));
    if constexpr (requires { to_coo(executor, a); }) {
        expect_equal(to_coo(executor, a), expected);
        expect_equal(to_coo(executor, scaled(transposed(a), T(2))), to_coo(scaled(transposed(a), T(2))));
    }
    if (c.matrix.row_count > rows_at_most) return;
    csr<T> const rows = to_csr(expected);
    hisparse<T> const from_rows(executor, rows, {.node_dimension = c.node_dimension});
    EXPECT_EQ(from_rows.bytes(), a.bytes());
    expect_entries_of(from_rows, expected);
    if constexpr (requires { to_csr_matrix(executor, a); }) {
        EXPECT_EQ(to_csr(to_csr_matrix(executor, a)).values, rows.values);
        EXPECT_EQ(to_csr(to_csr_matrix(executor, transposed(a))).row_offsets, transpose(rows).row_offsets);
    } else {
        EXPECT_EQ(to_csr(a).row_offsets, rows.row_offsets);
    }
}

/// A x and A^T x.
template <class T, class Multiply, class Executor>
void check_products_of(Executor& executor, node_case const& c) {
    csr<T> const a = to_csr(with_values_of<T>(c.matrix));
    hisparse<T> const matrix(executor.memory(), a, {.node_dimension = c.node_dimension});
    ASSERT_EQ(matrix.root().reference.kind(), c.kind) << c.name();
    for (bool transposed : {false, true})
        check_product_of<Multiply>(executor, matrix, expected_product<T>(a, {transposed, 2, 0}), c.name());
}

template <class T, class Executor>
void check_prune_of(Executor& executor, node_case const& c) {
    SCOPED_TRACE(c.name());
    hisparse<T> const a(executor.memory(), with_values_of<T>(with_plain_values(c.matrix, 0)),
                        {.node_dimension = c.node_dimension});
    ASSERT_EQ(a.root().reference.kind(), c.kind);
    ASSERT_EQ(a.root().reference.level(), c.level);
    expect_entries_of(prune(executor, a), entries_not_zero(to_coo(a)));
}

/// C = A + 2 B of matrices that may have any number of rows.
template <class T, class Executor>
void check_sum_of(Executor& executor, node_case const& of_a, node_case const& of_b) {
    SCOPED_TRACE(of_a.name() + " + " + of_b.name());
    coo<double> b_entries = with_plain_values(of_b.matrix, 1), a_entries = with_plain_values(of_a.matrix, 0);
    a_entries.row_count = b_entries.row_count = std::max(of_a.matrix.row_count, of_b.matrix.row_count);
    a_entries.column_count = b_entries.column_count = std::max(of_a.matrix.column_count, of_b.matrix.column_count);
    coo<double> sums = a_entries;
    sums.rows.insert(sums.rows.end(), b_entries.rows.begin(), b_entries.rows.end());
    sums.columns.insert(sums.columns.end(), b_entries.columns.begin(), b_entries.columns.end());
    for (double value : b_entries.values) sums.values.push_back(2 * value);
    hisparse_options const options{.node_dimension = of_a.node_dimension};
    hisparse<T> const a(executor.memory(), with_values_of<T>(a_entries), options);
    hisparse<T> const b(executor.memory(), with_values_of<T>(b_entries), options);
    for (auto const& [tree, c] : {std::pair{&a, &of_a}, {&b, &of_b}}) {
        ASSERT_EQ(tree->root().reference.kind(), c->kind);
        ASSERT_EQ(tree->root().reference.level(), c->level);
    }
    expect_entries_of(add(executor, T(1), a, T(2), b), with_values_of<T>(in_order(sums)));
}

/// Those of one level, each with each: their roots meet.
template <class T, class Executor, class Which>
void check_sums_of_kinds(Executor& executor, std::vector<node_case> const& cases, Which const& which) {
    for (node_case const& a : cases)
        for (node_case const& b : cases)
            if (a.node_dimension == b.node_dimension && a.level == b.level && which(a) && which(b))
                check_sum_of<T>(executor, a, b);
}

}  // namespace copse::tests
