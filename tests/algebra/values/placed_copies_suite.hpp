// Sub-matrices and Kronecker products, against loops over coordinates; A is in the executor's memory.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/algebra/add.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <cstdint>
#include <formats/edits/edit_tools.hpp>
#include <formats/visit_entries_suite.hpp>
#include <vector>

namespace copse::tests {

template <class T, class Executor>
hisparse<T> matrix_on(Executor const& executor, coo<double> const& a, int node_dimension = 64) {
    return hisparse<T>(executor.memory(), with_small_values<T>(a), {.node_dimension = node_dimension});
}

/// `made` has these entries, of values without A's scale, and is the tree that a conversion makes of them.
template <class T>
void expect_copies(hisparse<T> const& made, hisparse<T> const& a, coo<T> expected) {
    for (T& v : expected.values) v *= a.scale();
    ASSERT_EQ(made.row_count(), expected.row_count);
    ASSERT_EQ(made.column_count(), expected.column_count);
    coo<T> const found = to_coo(made), wanted = to_coo(to_csr(expected));
    EXPECT_EQ(found.rows, wanted.rows);
    EXPECT_EQ(found.columns, wanted.columns);
    EXPECT_EQ(found.values, wanted.values);
    EXPECT_EQ(made.is_transposed(), a.is_transposed());
    EXPECT_EQ(made.scale(), a.scale());
    EXPECT_EQ(made.node_dimension(), a.node_dimension());
    check_tree_anywhere(made);
    if (made.is_transposed()) return;  // the conversion's nodes lie the other way round
    hisparse<T> const anew(host_memory(), wanted, {.node_dimension = a.node_dimension()});
    EXPECT_EQ(made.census().visits, anew.census().visits);
    EXPECT_EQ(made.census().entries, anew.census().entries);
}

/// Bytes that the result shares with A.
template <class T, class Executor>
std::int64_t check_sub_matrix(Executor& executor, hisparse<T> const& a, index_range rows, index_range columns) {
    SCOPED_TRACE(testing::Message() << "rows from " << rows.first << ": " << rows.count << ", columns from "
                                    << columns.first << ": " << columns.count);
    hisparse<T> const stored = hisparse<T>(a.content());
    coo<T> const entries = to_coo(a.is_transposed() ? stored.transposed() : stored);
    coo<T> expected{rows.count, columns.count, {}, {}, {}};
    for (std::size_t k = 0; k < entries.values.size(); ++k) {
        std::int64_t const i = entries.rows[k] - rows.first, j = entries.columns[k] - columns.first;
        if (i < 0 || i >= rows.count || j < 0 || j >= columns.count) continue;
        expected.rows.push_back(static_cast<std::int32_t>(i));
        expected.columns.push_back(static_cast<std::int32_t>(j));
        expected.values.push_back(entries.values[k]);
    }
    hisparse<T> const made = sub_matrix(executor, a, rows, columns);
    expect_copies(made, a, expected);
    EXPECT_EQ(made.content()->reachable_bytes, reachable_bytes(made));
    return shared_bytes(made, a);
}

template <class T, class Executor>
void check_sub_matrices(Executor& executor, bool all_cases) {
    hisparse<T> const a(executor.memory(), leaves_of_all_kinds<T>(), {.node_dimension = 64});
    std::int64_t const m = a.row_count(), n = a.column_count();
    EXPECT_EQ(check_sub_matrix(executor, a, {1, 99}, {0, n}), 0);
    EXPECT_GT(check_sub_matrix(executor, a, {64, 236}, {0, 300}), 0) << "leaves are shared";
    EXPECT_GT(check_sub_matrix(executor, a, {4096, 300}, {0, n}), 0) << "a wide leaf is shared";
    check_sub_matrix(executor, a, {4095, 250}, {63, 4000});
    check_sub_matrix(executor, transposed(a), {70, 200}, {30, 4200});
    check_sub_matrix(executor, a, {299, 1}, {0, n});
    if (!all_cases) return;
    EXPECT_EQ(check_sub_matrix(executor, a, {0, m}, {0, n}), reachable_bytes(a)) << "all of it is shared";
    EXPECT_EQ(check_sub_matrix(executor, a, {1, m - 1}, {0, n}), 0);
    EXPECT_EQ(check_sub_matrix(executor, transposed(a), {0, n}, {0, m}), reachable_bytes(a));
    EXPECT_GT(check_sub_matrix(executor, a, {0, 4096}, {0, n}), 0) << "a node over leaves is shared";
    check_sub_matrix(executor, scaled(transposed(a), T(3)), {1, 129}, {65, 64});
    check_sub_matrix(executor, a, {13, 13}, {17, 17});
    check_sub_matrix(executor, a, {4100, 200}, {64, 64});
    check_sub_matrix(executor, a, {0, m}, {4095, 1});
    check_sub_matrix(executor, a, {m, 0}, {0, n});
    check_sub_matrix(executor, a, {0, m}, {n, 0});
    check_sub_matrix(executor, a, {400, 3000}, {400, 3000});  // no entries
    check_sub_matrix(executor, hisparse<T>(executor.memory(), coo<T>{70, 90, {}, {}, {}}), {3, 60}, {0, 90});
    check_sub_matrix(executor, hisparse<T>(executor.memory(), coo<T>{9, 7, {8}, {0}, {T(4)}}), {8, 1}, {0, 1});
    check_sub_matrix(executor, matrix_on<T>(executor, generate<double>("stencil27:12"), 128), {100, 1000}, {131, 1500});
    check_sub_matrix(executor, matrix_on<T>(executor, scattered(300000, 300000, 20000, 9)), {100000, 123456},
                     {5, 299000});
}

/// A with parts that lie transposed, and in several arenas.
template <class T, class Executor>
void check_parts_of_sums(Executor& executor) {
    hisparse<T> const a = matrix_on<T>(executor, scattered_lists(20000, 20000));
    hisparse<T> const b =
        matrix_on<T>(executor, matrix_where(300, 200, [](auto i, auto j) { return (i + j) % 3 == 0; }));
    coo<T> moved = to_coo(b);
    moved.row_count = moved.column_count = 20000;
    for (auto& row : moved.rows) row += 12000;
    hisparse<T> const c =
        add(executor, T(1), a, T(1), transposed(hisparse<T>(executor.memory(), moved, {.node_dimension = 64})));
    ASSERT_GT(shared_bytes(c, a), 0);
    for (hisparse<T> const& each : {c, edit(c, edits<T>().set(19999, 19999, T(2)).erase(0, 0))}) {
        check_sub_matrix(executor, each, {0, 20000}, {0, 20000});
        check_sub_matrix(executor, each, {4096, 10000}, {8192, 8192});
        check_sub_matrix(executor, transposed(each), {11990, 320}, {1, 19998});
    }
}

/// A (x) B and B (x) A.
template <class T, class Executor>
void check_kronecker(Executor& executor, hisparse<T> const& a, coo<T> const& b) {
    SCOPED_TRACE(testing::Message() << a.row_count() << " x " << a.column_count() << ", " << b.row_count << " x "
                                    << b.column_count);
    hisparse<T> const stored = hisparse<T>(a.content());
    coo<T> const x = to_coo(a.is_transposed() ? stored.transposed() : stored), y = to_coo(to_csr(b));
    coo<T> of_a{x.row_count * y.row_count, x.column_count * y.column_count, {}, {}, {}};
    coo<T> of_b = of_a;
    for (std::size_t e = 0; e < x.values.size(); ++e)
        for (std::size_t f = 0; f < y.values.size(); ++f) {
            of_a.rows.push_back(static_cast<std::int32_t>(x.rows[e] * y.row_count + y.rows[f]));
            of_a.columns.push_back(static_cast<std::int32_t>(x.columns[e] * y.column_count + y.columns[f]));
            of_a.values.push_back(x.values[e] * y.values[f]);
            of_b.rows.push_back(static_cast<std::int32_t>(y.rows[f] * x.row_count + x.rows[e]));
            of_b.columns.push_back(static_cast<std::int32_t>(y.columns[f] * x.column_count + x.columns[e]));
            of_b.values.push_back(x.values[e] * y.values[f]);
        }
    expect_copies(kronecker(executor, a, b), a, of_a);
    expect_copies(kronecker(executor, b, a), a, of_b);
}

template <class T, class Executor>
void check_kronecker_products(Executor& executor, bool all_cases) {
    coo<T> const b{3, 2, {2, 0, 1, 2}, {1, 0, 1, 1}, {T(2), T(3), T(0), T(5)}};  // a duplicate and an explicit zero
    hisparse<T> const few = matrix_on<T>(executor, matrix_where(9, 7, [](auto i, auto j) { return (i + j) % 2 == 0; }));
    hisparse<T> const band =
        matrix_on<T>(executor, matrix_where(300, 200, [](auto i, auto j) { return (j - i) % 50 == 0; }));
    check_kronecker(executor, few, b);
    check_kronecker(executor, scaled(transposed(band), T(2)), b);
    if (!all_cases) return;
    check_kronecker(executor, band, b);
    check_kronecker(executor, matrix_on<T>(executor, scattered(5000, 9000, 700, 3)), b);  // wide leaves, three levels
    check_kronecker(executor, matrix_on<T>(executor, matrix_where(130, 64, [](auto, auto) { return true; }), 128), b);
    coo<T> const row{1, 200, {0, 0}, {0, 199}, {T(1), T(-1)}}, column{70, 1, {69, 3}, {0, 0}, {T(1), T(4)}};
    check_kronecker(executor, few, row);
    check_kronecker(executor, few, column);
    check_kronecker(executor, few, coo<T>{1, 1, {0}, {0}, {T(1)}});
    check_kronecker(executor, few, coo<T>{4, 5, {}, {}, {}});
    check_kronecker(executor, few, coo<T>{0, 5, {}, {}, {}});
    check_kronecker(executor, hisparse<T>(executor.memory(), coo<T>{70, 90, {}, {}, {}}), b);
    check_kronecker(executor, hisparse<T>(executor.memory(), coo<T>{1, 1, {0}, {0}, {T(4)}}), b);
}

/// All nodes of C that are not A's are its own, and lie in its memory without a gap.
template <class T>
void expect_no_gap(hisparse<T> const& made) {
    ASSERT_EQ(made.content()->arenas.size(), 1u);
    EXPECT_EQ(made.content()->arenas[0].memory->size(), reachable_bytes(made)) << "what was written is in the matrix";
}

/// Wide leaves of A, of C, or of both.
template <class T, class Executor>
void check_wide_copies(Executor& executor, bool all_cases) {
    coo<T> const b{2, 3, {0, 1, 1}, {2, 0, 2}, {T(2), T(-3), T(1)}};
    hisparse<T> const wide = matrix_on<T>(executor, scattered(9000, 9000, all_cases ? 9000 : 900, 5));
    ASSERT_EQ(wide.census().inner_nodes(), 1);
    check_sub_matrix(executor, wide, {100, 4300}, {4000, 4200});  // of nine wide leaves four, each cut
    check_sub_matrix(executor, scaled(transposed(wide), T(-2)), {4096, 4904}, {1, 5000});
    check_sub_matrix(executor, wide, {5000, 1700}, {300, 3700});  // of one: B's root is wide
    check_kronecker(executor, wide, b);

    // The first block has 2,700 entries, 180 others have one.
    coo<double> heavy = matrix_where(60, 60, [](auto i, auto j) { return (i + j) % 4 != 0; });
    heavy.row_count = heavy.column_count = 4096;
    for (std::int32_t k = 0; k < 180; ++k) {
        heavy.rows.push_back(70 + k * 22);
        heavy.columns.push_back(k * 1237 % 4096);
        heavy.values.push_back(k + 1);
    }
    hisparse<T> const skewed = matrix_on<T>(executor, heavy);
    ASSERT_TRUE(skewed.root().reference.is_wide_leaf());
    check_sub_matrix(executor, skewed, {3, 4000}, {5, 4000});
    expect_no_gap(sub_matrix(executor, skewed, {3, 4000}, {5, 4000}));
    check_sub_matrix(executor, skewed, {0, 63}, {1, 4000});  // one leaf alone: not wide
    check_sub_matrix(executor, skewed, {61, 9}, {1, 4000});  // no entries
    check_kronecker(executor, transposed(skewed), b);

    // Lists of 20 entries, of which a cut makes four.
    hisparse<T> const lists = matrix_on<T>(executor, scattered(4096, 256, 5000, 6));
    ASSERT_EQ(lists.census().wide_leaves(), 0);
    hisparse<T> const cut = sub_matrix(executor, lists, {32, 4000}, {32, 200});
    EXPECT_TRUE(cut.root().reference.is_wide_leaf());
    check_sub_matrix(executor, lists, {32, 4000}, {32, 200});
    expect_no_gap(cut);
    check_kronecker(executor, lists, b);
    if (!all_cases) return;
    // 25 entries of C for each of A: too many for wide leaves, but for the blocks that a node of C cuts.
    coo<T> full{5, 5, {}, {}, {}};
    for (std::int32_t k = 0; k < 25; ++k) {
        full.rows.push_back(k / 5);
        full.columns.push_back(k % 5);
        full.values.push_back(T(k));
    }
    check_kronecker(executor, wide, full);

    // [0 W; -W^T 0], W stored once, as two wide leaves and as a node over leaves; ones are stored once, too.
    for (coo<double> const& half : {scattered(4000, 4096, 3000, 7), scattered(4000, 256, 5000, 8)})
        for (bool ones : {false, true}) {
            coo<T> skew{8192, 8192, {}, {}, {}};
            coo<double> const w = to_coo(to_csr(half));
            for (std::size_t e = 0; e < w.values.size(); ++e)
                for (bool lower : {false, true}) {
                    std::int32_t const i = w.rows[e], j = 4096 + w.columns[e];
                    skew.rows.push_back(lower ? j : i);
                    skew.columns.push_back(lower ? i : j);
                    skew.values.push_back(static_cast<T>((lower ? -1 : 1) * (ones ? 1 : w.values[e])));
                }
            hisparse<T> const turned(executor.memory(), skew, {.node_dimension = 64, .share_transposed = true});
            hisparse<T> const seen = placed_in(host_memory(), turned);
            node const below = seen.tree().child(seen.root(), 1);
            ASSERT_TRUE(below.reference.transposed() && below.reference.negative());
            check_sub_matrix(executor, turned, {4000, 4192}, {33, 4096});
            check_sub_matrix(executor, transposed(turned), {4128, 3000}, {0, 3000});
            check_kronecker(executor, turned, b);
        }
}

}  // namespace copse::tests
