// Pairs of operands in which nodes of all kinds meet, level by level. d = 64.
#pragma once

#include <algebra/sums/add_suite.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/cpu/reference.hpp>
#include <formats/edits/edit_tools.hpp>
#include <limits>
#include <some_cases.hpp>
#include <string>
#include <utility>
#include <vector>

namespace copse::tests {

struct pair_case {
    std::string name;  // "sparse leaf + dense leaf"
    coo<double> a;
    coo<double> b;
};

/// Each with each, itself included.
inline std::vector<pair_case> pairs_among(std::vector<battery_case> const& operands) {
    std::vector<pair_case> pairs;
    for (battery_case const& a : operands)
        for (battery_case const& b : operands) pairs.push_back({a.name + " + " + b.name, a.matrix, b.matrix});
    return pairs;
}

inline std::vector<pair_case> pairs_of_leaves() {
    return pairs_among(
        {{"sparse leaf", matrix_where(64, 64, [](auto i, auto j) { return (7 * i + 13 * j) % 31 == 0; })},
         // No run reaches six entries.
         {"dense leaf", matrix_where(64, 64, [](auto i, auto) { return i % 6 != 5; })},
         {"other dense leaf", matrix_where(64, 64, [](auto i, auto) { return i % 6 != 4; })},
         {"full leaf", matrix_where(64, 64, [](auto, auto) { return true; })},
         {"diagonal leaf", matrix_where(64, 64, [](auto i, auto j) { return i == j || j == i + 9; })}});
}

/// blocks x blocks of `size` rows, with entries (first + k step, 5), 0 <= k < count, in each.
inline coo<double> blocks_of(int blocks, int size, int count, int step, std::int64_t dimension) {
    coo<double> a = empty_matrix(dimension, dimension);
    value_source value(static_cast<std::uint64_t>(blocks));
    for (int block_row = 0; block_row < blocks; ++block_row)
        for (int block_column = 0; block_column < blocks; ++block_column)
            for (int k = 0; k < count; ++k) {
                a.rows.push_back(block_row * size + k * step);
                a.columns.push_back(block_column * size + 5);
                a.values.push_back(value());
            }
    return a;
}

/// Roots at level 1. A dense one takes 3277 children and more.
inline std::vector<pair_case> pairs_above_leaves() {
    coo<double> leaves = matrix_where(128, 128, [](auto i, auto j) {
        if (i < 64 && j < 64) return i == j || j == i + 9;
        if (i < 64) return i % 6 != 5;
        return j < 64 && (7 * i + 13 * j) % 31 == 0;
    });
    leaves.row_count = leaves.column_count = 4096;
    for (int k = 0; k < 20; ++k) {  // where the dense node has nothing
        leaves.rows.push_back(62 * 64 + 3 * k);
        leaves.columns.push_back(61 * 64 + k);
        leaves.values.push_back(k - 7.5);
    }
    coo<double> behind = blocks_of(4, 64, 1, 1, 4096);
    for (auto* coordinates : {&behind.rows, &behind.columns})
        for (std::int32_t& i : *coordinates) i += 60 * 64;
    return pairs_among({{"wide leaf", blocks_of(8, 64, 1, 1, 4096)},
                        {"wide leaf behind", behind},
                        {"sparse node", leaves},
                        {"dense node", blocks_of(58, 64, 17, 3, 4096)}});
}

/// Roots at level 2 over wide leaves.
inline std::vector<pair_case> pairs_of_upper_nodes() {
    return pairs_among({{"sparse upper node", blocks_of(3, 4096, 2, 100, 262144)},
                        {"dense upper node", blocks_of(58, 4096, 2, 100, 262144)}});
}

/// Of three block columns of `size` A has the second and third, B the first and third.
inline pair_case parts_of(std::string const& name, coo<double> const& all, int size) {
    pair_case parts{name, empty_matrix(all.row_count, all.column_count), empty_matrix(all.row_count, all.column_count)};
    for (std::size_t k = 0; k < all.values.size(); ++k) {
        int const turn = all.columns[k] / size % 3;
        for (coo<double>* part : {&parts.a, &parts.b}) {
            if (turn == (part == &parts.a ? 0 : 1)) continue;
            part->rows.push_back(all.rows[k]);
            part->columns.push_back(all.columns[k]);
            part->values.push_back(all.values[k]);
        }
    }
    return parts;
}

/// Roots that are sparse in A and in B, and dense in the sum.
inline std::vector<pair_case> pairs_with_dense_sums() {
    return {parts_of("parts of a dense leaf", matrix_where(64, 64, [](auto i, auto) { return i % 6 != 5; }), 1),
            parts_of("parts of a dense node", blocks_of(58, 64, 17, 3, 4096), 64),
            parts_of("parts of a dense upper node", blocks_of(58, 4096, 2, 100, 262144), 4096)};
}

inline std::vector<pair_case> all_pairs() {
    std::vector<pair_case> all = pairs_of_leaves();
    for (auto const& more : {pairs_above_leaves(), pairs_of_upper_nodes(), pairs_with_dense_sums()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// C = A + 2 B, with operands that are stored as they are or transposed.
template <class T, class Executor>
void check_pair(Executor& executor, pair_case const& p, bool transpose_a, bool transpose_b) {
    csr<T> const a = to_csr(with_values_of<T>(p.a)), b = to_csr(with_values_of<T>(p.b));
    hisparse<T> const sum = add(executor, T(1), stored_as(executor.memory(), a, transpose_a, 64), T(2),
                                stored_as(executor.memory(), b, transpose_b, 64));
    expect_sum<T>(sum, 1, a, 2, b, p.name + (sizeof(T) == 4 ? ", float" : ", double"));
    if (sum.space() == memory_space::host) check_tree(sum);
}

template <class T = double, class Executor>
void check_pair_in_all_ways(Executor& executor, pair_case const& p) {
    for (int way = 0; way < 4; ++way) check_pair<T>(executor, p, way % 2 == 1, way / 2 == 1);
}

/// Each pair in one of the four ways to store the operands, in turn.
template <class T = double, class Executor>
void check_pairs(Executor& executor, std::vector<pair_case> const& pairs) {
    unsigned turn = 0;
    for (pair_case const& p : some_of(pairs)) {
        check_pair<T>(executor, p, turn % 2 == 1, turn / 2 % 2 == 1);
        turn += 3;  // differs from the pairs' own rhythm
        if (testing::Test::HasFatalFailure()) return;
    }
}

/// Factors of which one, both or what they make with the scales is not finite, or 0.
inline std::vector<sum_case> const& sum_factor_cases() {
    constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    static std::vector<sum_case> const cases{
        {false, false, inf, 1},       {true, false, 2, -inf},   {false, true, inf, inf},
        {true, true, inf, -inf},      {false, false, nan, 0.5}, {true, false, 0, inf},
        {false, true, 1, 2, inf, -1}, {true, true, 0, 1, inf},  {false, true, nan, nan},
    };
    return cases;
}

/// Entries as the reference has them, and no others: also where a leaf has room for more, which check_tree() shows, and
/// products on CPUs whose loads of x are masked, which multiply the 0 that is there.
template <class T, class Executor>
void check_factors_of_pair(Executor& executor, pair_case const& p, sum_case const& s) {
    csr<T> const a = to_csr(with_values_of<T>(p.a)), b = to_csr(with_values_of<T>(p.b));
    auto const operand = [&](csr<T> const& m, bool transpose, double scale) {
        return scaled(stored_as(executor.memory(), m, transpose, 64), static_cast<T>(scale));
    };
    auto const alpha = static_cast<T>(s.alpha), beta = static_cast<T>(s.beta);
    hisparse<T> const c =
        add(executor, alpha, operand(a, s.transpose_a, s.scale_a), beta, operand(b, s.transpose_b, s.scale_b));
    csr<T> const found = to_csr(c);
    auto const name = p.name + ", factors " + std::to_string(s.alpha * s.scale_a) + " and " +
                      std::to_string(s.beta * s.scale_b) + (sizeof(T) == 4 ? ", float" : ", double");
    EXPECT_LE(reference::max_error(found, reference::add<T>(alpha * static_cast<T>(s.scale_a), a, false,
                                                            beta * static_cast<T>(s.scale_b), b, false)),
              1)
        << name;
    if (c.space() == memory_space::host) check_tree(c);
    for (bool transposed : {false, true}) {
        auto const op = transposed ? copse::transposed(c) : c;
        std::vector<T> const x(static_cast<std::size_t>(op.column_count()), T(1));
        std::vector<T> expected(static_cast<std::size_t>(op.row_count()));
        auto const bound = reference::spmv_error_bound<T>(T(1), found, transposed, x, T(0), expected);
        reference::spmv<T>(T(1), found, transposed, x, T(0), expected);
        buffer<T> const x_there(executor, x), y(executor, op.row_count());
        spmv<T>(executor, T(1), op, x_there, T(0), y);
        EXPECT_LE(reference::max_error<T>(y.to_host(), expected, bound), 1) << name << ", multiplied";
        spmv(executor, T(1), spmv_plan<T>(executor, op), x_there, T(0), y);
        EXPECT_LE(reference::max_error<T>(y.to_host(), expected, bound), 1) << name << ", multiplied by a plan";
    }
}

/// Each pair with one of the factors in turn; and operands that have leaves for themselves, with each `step`-th factor.
template <class T, class Executor>
void check_factors_of_pairs(Executor& executor, std::vector<pair_case> const& pairs, std::size_t step = 1) {
    std::size_t turn = 0;
    auto const next = [&]() -> sum_case const& { return sum_factor_cases()[turn++ % sum_factor_cases().size()]; };
    for (pair_case const& p : some_of(pairs)) {
        check_factors_of_pair<T>(executor, p, next());
        if (testing::Test::HasFailure()) return;
    }
    // Dense leaves that only one operand has, with places without an entry, some of them in rows that have others.
    coo<double> const none = empty_matrix(130, 200);
    coo<double> holes =
        matrix_where(130, 200, [](auto i, auto j) { return i < 64 && i % 6 != 5 && (i % 12 != 1 || j % 8 != 3); });
    for (double& value : holes.values) value = std::abs(value) + 1;  // sums of Inf that are Inf
    ASSERT_GT(hisparse<T>(executor.memory(), with_values_of<T>(holes), {.node_dimension = 64})
                  .census()
                  .leaves(node_kind::dense),
              0);
    coo<double> const below = matrix_where(130, 200, [](auto i, auto j) { return i > 64 && i % 5 == 2 && j % 3 == 0; });
    for (std::size_t k = 0; k < sum_factor_cases().size(); k += step) {
        sum_case const& s = sum_factor_cases()[k];
        check_factors_of_pair<T>(executor, {"holes + below", holes, below}, s);
        check_factors_of_pair<T>(executor, {"below + holes", below, holes}, s);
        check_factors_of_pair<T>(executor, {"holes + none", holes, none}, s);
        check_factors_of_pair<T>(executor, {"none + holes", none, holes}, s);
        check_factors_of_pair<T>(executor, {"none + none", none, none}, s);
    }
}

}  // namespace copse::tests
