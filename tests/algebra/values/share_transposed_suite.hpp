// Symmetric and skew matrices that store sub-trees and their transposes once, beside the same ones that store all.
// Every operation must say the same of both.
#pragma once

#include <algebra/for_each_row_suite.hpp>
#include <algebra/values/values_once_suite.hpp>
#include <algorithm>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/algebra/spmm.hpp>
#include <copse/algebra/spmv_both.hpp>
#include <copse/formats/visit_rows.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace copse::tests {

/// A whole number that is the same for (i, j) and (j, i), a ninth of them zero; or of opposite sign.
inline double symmetric_value(std::int64_t i, std::int64_t j, double below) {
    std::int64_t const low = std::min(i, j), high = std::max(i, j);
    return static_cast<double>((37 * low + 101 * high) % 9 - 4) * (i > j ? below : 1.0);
}
/// A with its transpose's pattern; symmetric if below == 1, skew off the diagonal if it is -1: zeros, too, have other
/// signs there.
inline coo<double> symmetric(coo<double> const& a, double below = 1) {
    coo<double> both{a.row_count, a.column_count, {}, {}, {}};
    auto const put = [&](std::int32_t i, std::int32_t j) {
        both.rows.push_back(i);
        both.columns.push_back(j);
        both.values.push_back(0);
    };
    for (std::size_t k = 0; k < a.rows.size(); ++k) {
        put(a.rows[k], a.columns[k]);
        put(a.columns[k], a.rows[k]);
    }
    both = in_order(both);  // sums up what is there twice
    for (std::size_t k = 0; k < both.rows.size(); ++k)
        both.values[k] = symmetric_value(both.rows[k], both.columns[k], below);
    return both;
}
inline hisparse_options shared_by(int d) {
    return {.node_dimension = d, .values = stored_values::each, .share_transposed = true};
}
/// once: made of the lower half of a symmetric or skew matrix.
template <class T, class Executor>
both_ways<T> by_half(Executor& executor, coo<double> const& entries, matrix_symmetry kind, int d) {
    coo<T> const typed = with_values_of<T>(entries);
    coo_view<T> half = typed;
    half.options = {.symmetry = kind, .half = matrix_half::lower};
    return {hisparse<T>(executor, typed, {.node_dimension = d, .values = stored_values::each}),
            hisparse<T>(executor, half, shared_by(d))};
}
/// Skew, without entries on the diagonal.
inline coo<double> skew(coo<double> const& a) {
    coo<double> const both = symmetric(a, -1);
    coo<double> result{both.row_count, both.column_count, {}, {}, {}};
    for (std::size_t k = 0; k < both.rows.size(); ++k) {
        if (both.rows[k] == both.columns[k]) continue;
        result.rows.push_back(both.rows[k]);
        result.columns.push_back(both.columns[k]);
        result.values.push_back(both.values[k]);
    }
    return result;
}
inline coo<double> with_symmetry(coo<double> const& pattern, matrix_symmetry kind) {
    return kind == matrix_symmetry::skew ? skew(pattern) : symmetric(pattern);
}

/// Values of leaves as each way to read them has them: what it finds in a row, times something of the column.
enum class way_to_read { entries, together, rows, runs, views };
template <class T>
struct rows_as_read {
    using item = node;
    static constexpr int width = 32;
    static constexpr std::size_t scratch_bytes = row_scratch_bytes<T>;
    tree_view<T> tree;
    way_to_read way;
    T* sums;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item n, Worker& w) const {
        auto const add = [&](std::int64_t row, std::int64_t column, T value) {
            w.add(&sums[row], value * static_cast<T>(1 + column % 5));
        };
        switch (way) {
            case way_to_read::together:
                return for_each_entry_together(w, tree, n, [&](tree_entry<T> const& e) {
                    if (e) add(e.row, e.column, e.value);
                });
            case way_to_read::rows:
                return for_each_row_of(w, tree, n, [&](std::int64_t row, leaf_row<T> const& entries) {
                    for (int i = 0; i < entries.count; ++i) add(row, entries.column(i), entries.value(i));
                });
            case way_to_read::runs:
                return for_each_stretch(w, tree, n, [&](entry_stretch<T> const& some) {
                    for (int i = 0; i < some.count; ++i)
                        add(some.row + i * some.row_step, some.column + i * some.column_step, some.value(i));
                });
            case way_to_read::views:
                if (n.reference.kind() == node_kind::sparse) return add_list(w, n, tree.sparse_leaf(n), add);
                if (n.reference.is_wide_leaf()) return add_list(w, n, tree.wide_leaf(n), add);
                [[fallthrough]];
            case way_to_read::entries:
                return for_each_entry(w, tree, n, add);
        }
    }

  private:
    template <class Worker, class View, class Add>
    COPSE_HOST_DEVICE void add_list(Worker& w, node n, View const& list, Add add) const {
        for (int i = w.rank(); i < list.count; i += w.size())
            add(std::int64_t{n.row} + list.rows[i], std::int64_t{n.column} + list.columns[i],
                tree.scale_of(n) * list.values[i]);
    }
};
template <class T, class Executor>
void check_ways_to_read(Executor& executor, hisparse<T> const& a, hisparse<T> const& each) {
    coo<T> const all = to_coo(each);
    std::vector<T> expected(static_cast<std::size_t>(a.row_count()), T(0));
    for (std::size_t k = 0; k < all.rows.size(); ++k)
        expected[static_cast<std::size_t>(all.rows[k])] += all.values[k] * static_cast<T>(1 + all.columns[k] % 5);
    using enum way_to_read;
    for (way_to_read const way : {entries, together, rows, runs, views}) {
        buffer<T> const sums(executor, std::vector<T>(expected.size(), T(0)));
        run_on_leaves(executor, a, rows_as_read<T>{a.tree(), way, sums.data()});
        EXPECT_EQ(sums.to_host(), expected) << "way " << static_cast<int>(way);
    }
}
/// Several columns, and both products at once. Whole numbers: exact in any order.
template <class T, class Executor>
void check_columns_of(Executor& executor, hisparse<T> const& a, hisparse<T> const& each) {
    std::int64_t const m = a.row_count(), n = a.column_count(), columns = 5;
    auto const numbers = [&](std::int64_t size, int period) {
        std::vector<T> values(static_cast<std::size_t>(size));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(static_cast<int>(i) % period) - T(2);
        return values;
    };
    auto const times = [&](auto const& op) {
        buffer<T> const x(executor, numbers(n * columns, 7)), y(executor, numbers(m * columns, 5));
        spmm(executor, T(2), op, row_major(x.view(), n, columns), T(1), row_major(y.view(), m, columns));
        return y.to_host();
    };
    spmv_plan<T> const plan(executor, a), plan_of_each(executor, each);
    std::vector<T> const expected = times(each);
    EXPECT_EQ(times(a), expected) << "columns, one shot";
    EXPECT_EQ(times(plan), expected) << "columns, by a plan";
    EXPECT_EQ(times(transposed(spmv_plan<T>(executor, transposed(a)))), expected) << "columns, by the other direction";
    auto const both = [&](spmv_plan<T> const& by) {
        buffer<T> const x(executor, numbers(n, 7)), w(executor, numbers(m, 5)), y(executor, m), z(executor, n);
        spmv_both(executor, by, T(1), x.view(), T(0), y.view(), T(-1), w.view(), T(0), z.view());
        return std::pair(y.to_host(), z.to_host());
    };
    EXPECT_EQ(both(plan), both(plan_of_each)) << "both products";
}

template <class T, class Executor>
void check_walks_of(Executor& executor, both_ways<T> const& a) {
    if (!lanes_executor<Executor> || a.each.entry_count() < 1500) {  // lanes of fibers take their time
        check_columns_of(executor, a.once, a.each);
        check_columns_of(executor, scaled(transposed(a.once), T(-2)), scaled(transposed(a.each), T(-2)));
    }
    check_ways_to_read(executor, a.once, a.each);
    check_ways_to_read(executor, scaled(transposed(a.once), T(-2)), scaled(transposed(a.each), T(-2)));
    if constexpr (std::is_same_v<T, double>) {
        spmv_plan<double> const plan(executor, a.once);
        check_rows_of(executor, plan);
        check_rows_of(executor, scaled(transposed(plan), -2));
    }
}

inline coo<double> whole_numbers(coo<double> a) {
    for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = static_cast<double>(k % 13);
    return a;
}
/// [A B^T; sign B 0]
inline coo<double> saddle_point(coo<double> const& a, coo<double> const& b, double sign = 1) {
    std::int64_t const n = a.row_count;
    coo<double> all{n + b.row_count, n + b.row_count, a.rows, a.columns, a.values};
    for (std::size_t k = 0; k < b.rows.size(); ++k)
        for (bool const below : {true, false}) {
            auto const i = static_cast<std::int32_t>(b.rows[k] + n), j = b.columns[k];
            all.rows.push_back(below ? i : j);
            all.columns.push_back(below ? j : i);
            all.values.push_back(below ? sign * b.values[k] : b.values[k]);
        }
    return in_order(all);
}
template <class T = double>
both_ways<T> twins_of(coo<double> const& entries, int d) {
    cpu executor(2);
    return stored_both_ways<T>(executor, entries, shared_by(d));
}

inline coo<double> stencil(std::int64_t n, double below = 1) {
    return symmetric(matrix_where(n, n,
                                  [](auto i, auto j) {
                                      return i == j || (j == i + 1 && i % 37 != 36) ||
                                             (j == i + 120 && i % 300 < 290) || j == i + 333 ||
                                             (i < 400 && j > i && (i * j) % 97 == 5);
                                  }),
                     below);
}

template <class T, class Executor>
void check_share_transposed(Executor& executor, pattern_case const& c, double below) {
    SCOPED_TRACE(c.name);
    coo<double> const entries = symmetric(c.pattern, below);
    auto const a = stored_both_ways<T>(executor, entries, shared_by(c.node_dimension));
    coo<double> const others = symmetric(scattered(entries.row_count, entries.row_count, 900, 11), below);
    check_every_operation(executor, a, stored_both_ways<T>(executor, others, shared_by(c.node_dimension)), entries,
                          {.share_transposed = true});
    if constexpr (!std::is_same_v<Executor, gpu>) check_walks_of(executor, a);
}

/// Blocks that are their own transpose's negative, some of them with the other sign: all of them are one node, which
/// some references see as its negative, but not transposed.
struct signed_blocks {
    char const* name;
    coo<double> block;
    int node_dimension;
};
inline std::vector<signed_blocks> signed_block_cases() {
    auto const made = [](std::int64_t n, auto keep) { return skew(matrix_where(n, n, keep)); };
    return {
        {"lists", made(64, [](auto i, auto j) { return (7 * i + 13 * j) % 31 == 0; }), 64},
        {"few", made(64, [](auto i, auto j) { return (i + j) % 29 == 0 && i % 5 == 1; }), 64},
        {"streaks", made(64, [](auto i, auto j) { return j == i + 9 || j == i + 1; }), 64},
        {"streaks and others", made(128, [](auto i, auto j) { return j == i + 30 || (i * i + 3 * j) % 41 == 2; }), 128},
        {"dense", made(64, [](auto i, auto j) { return (i + j) % 7 != 0; }), 64},
        {"wide", skew(scattered(4096, 4096, 300, 5)), 64}};
}
inline coo<double> mosaic_of(signed_blocks const& c) {
    int constexpr signs[3][3] = {{1, -1, 0}, {1, 1, -1}, {0, -1, -1}};
    std::int64_t const n = c.block.row_count;
    coo<double> all{3 * n, 3 * n, {}, {}, {}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (std::size_t k = 0; signs[i][j] != 0 && k < c.block.rows.size(); ++k) {
                all.rows.push_back(static_cast<std::int32_t>(i * n + c.block.rows[k]));
                all.columns.push_back(static_cast<std::int32_t>(j * n + c.block.columns[k]));
                all.values.push_back(signs[i][j] * c.block.values[k]);
            }
    return in_order(all);
}
template <class T, class Executor>
void check_signed_blocks(Executor& executor, signed_blocks const& c) {
    SCOPED_TRACE(c.name);
    coo<double> const entries = mosaic_of(c);
    hisparse_options options = shared_by(c.node_dimension);
    options.share_identical = true;
    auto const a = stored_both_ways<T>(executor, entries, options);
    std::int64_t const n = c.block.row_count;
    node_census const& census = a.once.census();
    EXPECT_LT(4 * reachable_bytes(a.once), 3 * reachable_bytes(a.each));
    EXPECT_EQ(census.leaves() + census.wide_leaves(), 7);
    coo<double> const others = symmetric(scattered(3 * n, 3 * n, 900, 11), -1);
    check_every_operation(executor, a, stored_both_ways<T>(executor, others, options), entries,
                          {.share_identical = true, .share_transposed = true});
    check_walks_of(executor, a);
    for (auto const& [x, y] : {std::pair{a.once, a.each}, {transposed(a.once), transposed(a.each)}}) {
        // Nodes come along as they are, or become part of others.
        index_range const whole{0, 3 * n}, later{n, 2 * n};
        expect_same_bits(sub_matrix(executor, x, whole, whole), y, "all");
        expect_same_bits(sub_matrix(executor, x, later, whole), sub_matrix(executor, y, later, whole), "later rows");
        expect_same_bits(sub_matrix(executor, x, whole, later), sub_matrix(executor, y, whole, later), "later columns");
        expect_same_bits(add(executor, T(1), x, T(-1), x), add(executor, T(1), y, T(-1), y), "a difference",
                         zeros::of_any_sign);
        expect_same_bits(add(executor, T(1), x, T(3), transposed(x)), add(executor, T(1), y, T(3), transposed(y)),
                         "a sum with the transpose", zeros::of_any_sign);
    }
}

}  // namespace copse::tests
