// New matrices from entries and pairs of entries (algebra/map_entries.hpp), against a loop over coordinates.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algorithm>
#include <copse/algebra/map_entries.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <cstdint>
#include <formats/edits/edit_tools.hpp>
#include <formats/node_pairs_suite.hpp>
#include <formats/visit_entries_suite.hpp>
#include <string>
#include <tuple>

namespace copse::tests {

/// One function for all cases: each one more is compiled with all that makes a matrix.
template <class T>
struct chosen_entries {
    enum class which { all, lower, some, none, few } what;
    COPSE_HOST_DEVICE maybe<T> operator()(std::int64_t row, std::int64_t column, T value) const {
        bool const present = what == which::all || (what == which::lower && column <= row) ||
                             (what == which::some && (row + 2 * column) % 3 != 0) ||
                             (what == which::few && (row * 31 + column * 17) % 97 == 0);
        return {2 * value + static_cast<T>(row % 3), present};
    }
};
/// The product where both have an entry; the difference where one has, unless it is B alone in an odd row.
struct chosen_pairs {
    COPSE_HOST_DEVICE double operator()(std::int64_t row, std::int64_t, double a, double b) const {
        return a * b + static_cast<double>(row);
    }
    COPSE_HOST_DEVICE maybe<double> operator()(std::int64_t row, std::int64_t, maybe<double> a, maybe<double> b) const {
        return {a.value_or(0) - b.value_or(0), a.present || row % 2 == 0};
    }
};

/// The matrix has these entries, and is what a conversion makes of them.
template <class T, class Executor>
void expect_made(Executor& executor, hisparse<T> const& made, coo<T> const& expected, int node_dimension) {
    ASSERT_EQ(made.row_count(), expected.row_count);
    ASSERT_EQ(made.column_count(), expected.column_count);
    hisparse<T> const anew(executor.memory(), expected, {.node_dimension = node_dimension});
    auto const found = to_coo(made), wanted = to_coo(anew);
    EXPECT_EQ(found.rows, wanted.rows);
    EXPECT_EQ(found.columns, wanted.columns);
    EXPECT_EQ(found.values, wanted.values);
    EXPECT_EQ(made.entry_count(), anew.entry_count());
    EXPECT_EQ(made.scale(), T(1));
    EXPECT_EQ(made.content()->reachable_bytes, reachable_bytes(made));
    if (made.space() == memory_space::host) check_tree(made);
    if (made.is_transposed()) return;  // blocks of another shape
    EXPECT_EQ(made.census().visits, anew.census().visits);
    EXPECT_EQ(made.census().entries, anew.census().entries);
    EXPECT_EQ(made.content()->reachable_bytes, anew.content()->reachable_bytes);
}

template <class T, class Executor>
void check_mapped(Executor& executor, hisparse<T> const& a, typename chosen_entries<T>::which what) {
    chosen_entries<T> const f{what};
    coo<T> const entries = to_coo(a);
    coo<T> expected{a.row_count(), a.column_count(), {}, {}, {}};
    for (std::size_t k = 0; k < entries.values.size(); ++k)
        if (auto const v = f(entries.rows[k], entries.columns[k], entries.values[k])) {
            expected.rows.push_back(entries.rows[k]);
            expected.columns.push_back(entries.columns[k]);
            expected.values.push_back(*v);
        }
    expect_made(executor, map_entries(executor, a, f), expected, a.node_dimension());
}

template <pairs Which, class Executor>
void check_mapped(Executor& executor, hisparse<double> const& a, hisparse<double> const& b) {
    chosen_pairs const f;
    coo<double> expected{a.row_count(), a.column_count(), {}, {}, {}};
    for (noted_pair const& p : expected_pairs(Which, a, b)) {
        maybe<double> v;
        if constexpr (Which == pairs::both)
            v = {f(p.row, p.column, p.a, p.b), true};
        else
            v = f(p.row, p.column, maybe<double>{p.a, p.in_a != 0}, maybe<double>{p.b, p.in_b != 0});
        if (!v) continue;
        expected.rows.push_back(static_cast<std::int32_t>(p.row));
        expected.columns.push_back(static_cast<std::int32_t>(p.column));
        expected.values.push_back(*v);
    }
    expect_made(executor, map_entry_pairs<Which>(executor, a, b, f), expected, a.node_dimension());
}

/// 4096 x 4096, with 40 entries below the diagonal in each of the blocks on it, `above` single ones above it in row 0,
/// and `below` beside the last block in row 4095: a wide leaf if the singles are many.
template <class T>
coo<T> blocks_and_singles(std::int32_t blocks, std::int32_t above, std::int32_t below) {
    coo<T> a{4096, 4096, {}, {}, {}};
    auto const put = [&](std::int32_t row, std::int32_t column) {
        a.rows.push_back(row);
        a.columns.push_back(column);
        a.values.push_back(static_cast<T>(1 + row % 7 + column % 5));
    };
    for (std::int32_t k = 1; k <= above; ++k) put(0, 64 * k + 3);
    for (std::int32_t b = 0; b < blocks; ++b)
        for (std::int32_t i = 0; i < 40; ++i) put(64 * b + 20 + i, 64 * b + i / 2);
    for (std::int32_t k = 0; k < below; ++k) put(4095, 64 * k + 5);
    return a;
}

/// Wide leaves of which a wide leaf is left, leaves in a node, one leaf, and nothing.
template <class T, class Executor>
void check_mapped_wide(Executor& executor) {
    using which = typename chosen_entries<T>::which;
    for (auto const& [blocks, above, below, what] :
         {std::tuple{1, 60, 40, which::lower},  // wide again
          std::tuple{2, 60, 1, which::lower},   // a node of three leaves
          std::tuple{1, 60, 0, which::lower},   // a node of one
          std::tuple{0, 60, 0, which::lower},   // nothing
          std::tuple{4, 63, 50, which::some}, std::tuple{4, 63, 50, which::all}}) {
        SCOPED_TRACE(std::to_string(blocks) + ", " + std::to_string(above) + ", " + std::to_string(below));
        hisparse<T> const a(executor.memory(), blocks_and_singles<T>(blocks, above, below), {.node_dimension = 64});
        ASSERT_TRUE(a.root().reference.is_wide_leaf());
        check_mapped(executor, a, what);
        check_mapped(executor, scaled(a, T(3)), what);
    }
}

template <class T, class Executor>
void check_mapped(Executor& executor, int node_dimension, bool all_cases = true) {
    using which = typename chosen_entries<T>::which;
    hisparse<T> const a(executor.memory(), leaves_of_all_kinds<T>(), {.node_dimension = node_dimension});
    check_mapped(executor, a, which::few);  // what is left becomes wide leaves
    if (!all_cases) return;
    check_mapped_wide<T>(executor);
    check_mapped(executor, a, which::all);
    check_mapped(executor, a, which::lower);
    check_mapped(executor, scaled(transposed(a), -2), which::some);
    check_mapped(executor, a, which::none);
    check_mapped(executor,
                 hisparse<T>(executor.memory(), coo<T>{70, 90, {}, {}, {}}, {.node_dimension = node_dimension}),
                 which::all);
    check_mapped(executor,
                 hisparse<T>(executor.memory(), coo<T>{9, 7, {8}, {0}, {T(4)}}, {.node_dimension = node_dimension}),
                 which::all);  // the root is a leaf
}

template <class Executor>
void check_mapped_pairs(Executor& executor, bool all_cases = true) {
    hisparse<double> const a(executor.memory(), leaves_of_all_kinds<double>(), {.node_dimension = 64});
    coo<double> other = leaves_of_all_kinds<double>();
    for (std::int32_t& column : other.columns) column = (column + 70) % 4096;
    hisparse<double> const b(executor.memory(), other, {.node_dimension = 64});
    check_mapped<pairs::both>(executor, a, scaled(b, 0.5));
    if (!all_cases) return;
    check_mapped<pairs::both>(executor, a, a);
    hisparse<double> const wide(executor.memory(), blocks_and_singles<double>(1, 60, 40), {.node_dimension = 64}),
        less(executor.memory(), blocks_and_singles<double>(1, 30, 40), {.node_dimension = 64});
    check_mapped<pairs::both>(executor, wide, scaled(less, 3));
    check_mapped<pairs::both>(executor, scaled(less, 3), wide);
    check_mapped<pairs::both>(executor, transposed(wide), less);
    check_mapped<pairs::either>(executor, wide, scaled(less, 3));
    check_mapped<pairs::either>(executor, less, wide);
    hisparse<double> const apart(executor.memory(), blocks_and_singles<double>(3, 11, 63), {.node_dimension = 64});
    check_mapped<pairs::either>(executor, apart, scaled(wide, 3));
    check_mapped<pairs::both>(executor, wide, apart);
    check_mapped<pairs::either>(executor, a, b);
    check_mapped<pairs::either>(executor, transposed(a), transposed(b));
    coo<double> turned = other;
    std::swap(turned.rows, turned.columns);
    std::swap(turned.row_count, turned.column_count);
    hisparse<double> const c = transposed(hisparse<double>(executor.memory(), turned, {.node_dimension = 64}));
    check_mapped<pairs::both>(executor, a, c);
    check_mapped<pairs::either>(executor, c, a);
    hisparse<double> const none(executor.memory(), empty_matrix(a.row_count(), a.column_count()),
                                {.node_dimension = 64});
    check_mapped<pairs::both>(executor, a, none);
    check_mapped<pairs::either>(executor, none, a);
    hisparse<double> const nothing(executor.memory(), empty_matrix(4096, 4096), {.node_dimension = 64});
    check_mapped<pairs::either>(executor, wide, nothing);
    check_mapped<pairs::either>(executor, nothing, scaled(wide, 2));
}

}  // namespace copse::tests
