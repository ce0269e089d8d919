// Sums of symmetric or skew matrices that store twins once, beside sums of the same matrices that store all: they say
// the same, and C stores twins once.
#pragma once

#include <algebra/sums/add_pairs.hpp>
#include <algebra/values/share_transposed_suite.hpp>
#include <algorithm>
#include <copse/formats/hisparse_edit.hpp>
#include <cstdint>
#include <some_cases.hpp>
#include <string>
#include <vector>

namespace copse::tests {

/// Which twins C stores once. Both operands have them as children of inner nodes; blocks of wide leaves do not count.
enum class twins_found { all, some };

/// A tree as a search for twins would make it.
template <class T, class Executor>
void expect_twins_once(Executor& executor, hisparse<T> const& c, twins_found which = twins_found::all) {
    check_tree_anywhere(c);
    hisparse<T> const anew(executor.memory(), to_coo(c), shared_by(c.node_dimension()));
    if (which == twins_found::all)
        EXPECT_EQ(reachable_bytes(c), reachable_bytes(anew));
    else
        EXPECT_GE(reachable_bytes(c), reachable_bytes(anew));
    EXPECT_EQ(c.census().visits, anew.census().visits);
    EXPECT_EQ(c.census().entries, anew.census().entries);
    EXPECT_EQ(c.entry_count(), anew.entry_count());
    EXPECT_GE(c.content()->reachable_bytes, reachable_bytes(c));
    if (c.content()->arenas.size() > 1) return;
    EXPECT_EQ(c.content()->reachable_bytes, reachable_bytes(c));
    EXPECT_EQ(c.bytes(), reachable_bytes(c));
}

struct twin_pair {
    pair_case operands;
    twins_found which = twins_found::all;
};

/// d = 64. `count` of sum_cases(), from one on: operands as they are stored and transposed; factors that let both, one
/// and none of them be shared.
template <class T, class Executor>
void check_pair_of_twins(Executor& executor, twin_pair const& p, matrix_symmetry kind, std::size_t from, int count) {
    bool const is_skew = kind == matrix_symmetry::skew;
    SCOPED_TRACE(p.operands.name + (is_skew ? ", skew" : ", symmetric"));
    auto const made = [&](coo<double> const& m) { return by_half<T>(executor, with_symmetry(m, kind), kind, 64); };
    both_ways<T> const a = made(p.operands.a), b = made(p.operands.b);
    for (int k = 0; k < count; ++k) {
        sum_case const& s = sum_cases()[(from + static_cast<std::size_t>(k)) % sum_cases().size()];
        SCOPED_TRACE("factors " + std::to_string(s.alpha * s.scale_a) + (s.transpose_a ? " of A^T, " : " of A, ") +
                     std::to_string(s.beta * s.scale_b) + (s.transpose_b ? " of B^T" : " of B"));
        auto const op = [](hisparse<T> const& m, bool transpose, double scale) {
            return scaled(transpose ? transposed(m) : m, static_cast<T>(scale));
        };
        auto const sum = [&](hisparse<T> const& x, hisparse<T> const& y) {
            return add(executor, static_cast<T>(s.alpha), op(x, s.transpose_a, s.scale_a), static_cast<T>(s.beta),
                       op(y, s.transpose_b, s.scale_b));
        };
        hisparse<T> const c = sum(a.once, b.once), each = sum(a.each, b.each);
        expect_same_bits(c, each, "twins once", is_skew ? zeros::of_any_sign : zeros::as_they_are);
        EXPECT_EQ(c.scale(), each.scale());
        auto const factor = [&](double of_sum, double scale, bool transpose) {
            return of_sum * scale * (transpose && is_skew ? -1 : 1);
        };
        expect_sum<T>(c, factor(s.alpha, s.scale_a, s.transpose_a), to_csr(a.each),
                      factor(s.beta, s.scale_b, s.transpose_b), to_csr(b.each), "entry by entry");
        expect_twins_once(executor, c, p.which);
        if (testing::Test::HasFailure()) return;
    }
}

/// n = 9000: blocks of 4096 rows, of 64 x 64 leaves each. f(put) for the first block and for the one beside it;
/// put(block row, block column, i, j): an entry of a leaf.
template <class F>
coo<double> in_two_blocks(F f) {
    coo<double> a = empty_matrix(9000, 9000);
    for (int const first_column : {0, 4096})
        f([&](int block_row, int block_column, int i, int j) {
            a.rows.push_back(64 * block_row + i);
            a.columns.push_back(first_column + 64 * block_column + j);
            a.values.push_back(1);
        });
    return a;
}
/// 4 x 4 leaves with `count` entries each. With a step above 1, only every step-th leaf has entries.
inline coo<double> short_lists(int count, int first, int begin = 0, int step = 1) {
    return in_two_blocks([=](auto put) {
        for (int leaf = begin; leaf < 16; leaf += step)
            for (int k = 0; k < count; ++k) put(leaf / 4, leaf % 4, (first + 3 * k) % 64, 7 * k % 61);
    });
}
/// One leaf of 205 entries, and ten leaves of one. If two such matrices have the same crowd and the ten elsewhere,
/// their sum has a wide leaf.
inline coo<double> crowd_and_others(int apart, int crowd = 0) {
    return in_two_blocks([=](auto put) {
        for (int i = 0; i < 64; ++i)
            for (int j = 0; j < 64; ++j)
                if ((7 * i + 13 * j) % 20 == crowd) put(0, 1, i, j);
        for (int k = 2; k < 12; ++k) put(k, k + apart, k, 3);
    });
}
/// Much in common, and for itself: a leaf beside the diagonal, a block on the diagonal, one beside it, wide leaves.
inline coo<double> with_some_alone(bool first) {
    coo<double> a = matrix_where(300, 300, [](auto i, auto j) { return j >= i && (5 * i + 3 * j) % 4 == 0; });
    a.row_count = a.column_count = 5 * 4096;
    auto const put = [&](int row, int column) {
        a.rows.push_back(row);
        a.columns.push_back(column);
        a.values.push_back(1);
    };
    int const away = 4096 * (first ? 1 : 3);
    for (int k = 0; k < 40; ++k) {
        put(64 * (first ? 6 : 7) + k, 64 * 9 + 3 * k % 64);
        put(away + k, away + 64 * (k % 2) + 5 * k % 64);
        put(k, away + k * k % 50);
        put(away + 101 * k, away + 4096 + 97 * k);
    }
    coo<double> const more = crowd_and_others(first ? 1 : 2);  // become a wide leaf
    for (std::size_t k = 0; k < more.rows.size(); ++k)
        if (more.columns[k] < 4096) put(4 * 4096 + more.rows[k], 4 * 4096 + more.columns[k]);
    return a;
}
inline twin_pair pair_with_some_alone() {
    return {{"each has some alone", with_some_alone(true), with_some_alone(false)}};
}

/// Operands with inner nodes of both kinds, and wide leaves, on the diagonal and beside it.
inline std::vector<twin_pair> pairs_of_twins() {
    std::vector<twin_pair> pairs;
    for (pair_case const& p : pairs_above_leaves())
        pairs.push_back({p, p.name.find("wide") == std::string::npos ? twins_found::all : twins_found::some});
    pairs.push_back({pairs_with_dense_sums()[1]});
    auto const some = [](std::int64_t entries, std::uint64_t seed) { return scattered(9000, 9000, entries, seed); };
    pairs.push_back({{"two wide leaves become one", some(6000, 3), some(4000, 4)}});
    pairs.push_back({{"two wide leaves become leaves", short_lists(6, 0), short_lists(6, 1)}, twins_found::some});
    pairs.push_back({{"lists and wide leaves", short_lists(18, 0), some(3000, 4)}, twins_found::some});
    pairs.push_back(
        {{"a wide leaf and lists become leaves", short_lists(7, 0), short_lists(18, 1, 1, 10)}, twins_found::some});
    pairs.push_back({{"inner nodes become wide leaves", crowd_and_others(1), crowd_and_others(2)}});
    pairs.push_back({{"inner nodes become nearly wide leaves", crowd_and_others(1), crowd_and_others(2, 1)}});
    pairs.push_back(
        {{"bands", matrix_of_rows(9000, 9000, [](auto i) { return every(i, 1, std::min(i + 5, std::int64_t{9000})); }),
          matrix_of_rows(9000, 9000, [](auto i) { return every(i + 70, 4030, 9000); })}});
    pairs.push_back(pair_with_some_alone());
    return pairs;
}

/// Each pair, with `count` sums of each kind, or of one in turn.
template <class Executor>
void check_pairs_of_twins(Executor& executor, int count, bool of_each_kind) {
    std::size_t turn = 0;
    for (twin_pair const& p : some_of(pairs_of_twins())) {
        if (of_each_kind || turn % 2 == 0)
            check_pair_of_twins<double>(executor, p, matrix_symmetry::skew, 3 * turn, count);
        if (of_each_kind || turn % 2 == 1)
            check_pair_of_twins<float>(executor, p, matrix_symmetry::symmetric, 3 * turn + 1, count);
        ++turn;
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace copse::tests
