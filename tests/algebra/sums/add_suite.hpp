// Sums of one executor against the union of two lists of entries, over the battery.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algorithm>
#include <cmath>
#include <copse/algebra/add.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace copse::tests {

struct sum_case {
    bool transpose_a;  // the operand is stored as the transpose of what is added
    bool transpose_b;
    double alpha;
    double beta;
    double scale_a = 1;
    double scale_b = 1;
    int node_dimension = 128;
};

/// All four combinations of transposition; factors that let both, one and none of the operands be shared.
inline std::vector<sum_case> const& sum_cases() {
    static std::vector<sum_case> const cases{
        {false, false, 1, 1},
        {true, true, 2, 2, 1, 1, 64},
        {false, true, 1, -1, 1, 1, 256},
        {true, false, -0.5, 1, 3, 2},
        {false, true, 1, 1, 2, 2, 64},
        {false, false, 0, 3, 1, 1, 256},
        {true, true, 1, 0.25, 1, 4, 64},
        {true, false, -1, 2, 1, 1, 64},
    };
    return cases;
}

/// Partners for a sum: what the second operand has to do with the first.
enum class partner { same_pattern, moved, elsewhere, none };

inline coo<double> partner_of(coo<double> const& a, partner kind) {
    coo<double> b = empty_matrix(a.row_count, a.column_count);
    std::mt19937_64 engine(static_cast<std::uint64_t>(a.values.size() + 5));
    value_source value(17);
    auto const near = [&](std::int32_t i, std::int64_t count, std::int64_t reach) {
        auto const moved = i + static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(2 * reach + 1)) - reach;
        return static_cast<std::int32_t>(((moved % count) + count) % count);
    };
    for (std::size_t k = 0; k < a.values.size() && kind != partner::none; ++k) {
        bool const stays = kind == partner::same_pattern || (kind == partner::moved && engine() % 3 == 0);
        std::int64_t const reach = kind == partner::elsewhere ? a.row_count + a.column_count : 4;
        b.rows.push_back(stays ? a.rows[k] : near(a.rows[k], a.row_count, reach));
        b.columns.push_back(stays ? a.columns[k] : near(a.columns[k], a.column_count, reach));
        b.values.push_back(engine() % 5 == 0 ? -a.values[k] : value());
    }
    return to_coo(to_csr(b));
}

template <class T>
hisparse<T> stored_as(std::shared_ptr<memory> const& where, csr<T> const& a, bool transpose, int node_dimension) {
    hisparse_options const options{.node_dimension = node_dimension, .values = stored_values::each};
    return transpose ? transposed(hisparse<T>(where, copse::transpose(a), options)) : hisparse<T>(where, a, options);
}

/// C has exactly the union's pattern, and each value within rounding of alpha a + beta b.
template <class T>
void expect_sum(hisparse<T> const& c, double alpha, csr<T> const& a, double beta, csr<T> const& b,
                std::string const& name) {
    coo<T> const of_a = to_coo(a), of_b = to_coo(b), found = to_coo(c);
    auto const place = [](coo<T> const& m, std::size_t k) {
        return k < m.values.size() ? std::int64_t{m.rows[k]} << 32 | m.columns[k] : INT64_MAX;
    };
    coo<double> expected = empty_matrix(a.row_count, a.column_count);
    std::vector<double> bounds;
    for (std::size_t i = 0, j = 0; i < of_a.values.size() || j < of_b.values.size();) {
        std::int64_t const of_next_a = place(of_a, i), of_next_b = place(of_b, j),
                           next = std::min(of_next_a, of_next_b);
        double const x = of_next_a == next ? alpha * static_cast<double>(of_a.values[i++]) : 0;
        double const y = of_next_b == next ? beta * static_cast<double>(of_b.values[j++]) : 0;
        expected.rows.push_back(static_cast<std::int32_t>(next >> 32));
        expected.columns.push_back(static_cast<std::int32_t>(next & 0x7fffffff));
        expected.values.push_back(x + y);
        bounds.push_back(4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * (std::abs(x) + std::abs(y)));
    }
    ASSERT_EQ(c.entry_count(), expected.entry_count()) << name;
    EXPECT_EQ(c.row_count(), a.row_count);
    EXPECT_EQ(c.column_count(), a.column_count);
    ASSERT_EQ(found.rows, expected.rows) << name;
    ASSERT_EQ(found.columns, expected.columns) << name;
    std::size_t k = 0;
    while (k < bounds.size() && std::abs(static_cast<double>(found.values[k]) - expected.values[k]) <= bounds[k]) ++k;
    ASSERT_EQ(k, bounds.size()) << name << ": " << found.values[k] << " for " << expected.values[k] << " at "
                                << expected.rows[k] << ", " << expected.columns[k];
}

/// The nodes of a sum, or of what was edited, have the kinds and the sizes that a conversion of the same entries gives
/// them.
template <class T, class Executor>
void expect_nodes_of_conversion(Executor& executor, hisparse<T> const& c) {
    hisparse<T> const anew(executor.memory(), to_csr(to_coo(c)),
                           {.node_dimension = c.node_dimension(), .values = stored_values::each});
    EXPECT_EQ(c.census().visits, anew.census().visits);
    EXPECT_EQ(c.census().entries, anew.census().entries);
    EXPECT_EQ(reachable_bytes(c), reachable_bytes(anew));
}

/// The Laplacian of a grid of n x n x n points is assembled of parts: first of wide leaves, then of leaves with
/// streaks. Every second part is stored transposed.
template <class T, class Executor>
void check_assembled(Executor& executor, int n, int parts, int node_dimension) {
    coo<T> const all = generate<T>("poisson3d:" + std::to_string(n));
    auto const part = [&](int number) {
        coo<T> some{all.row_count, all.column_count, {}, {}, {}};
        for (std::size_t k = 0; k < all.values.size(); ++k) {
            if ((k * 2654435761u >> 7) % static_cast<std::size_t>(parts) != static_cast<std::size_t>(number)) continue;
            some.rows.push_back(all.rows[k]);
            some.columns.push_back(all.columns[k]);
            some.values.push_back(all.values[k]);
        }
        return stored_as(executor.memory(), to_csr(some), number % 2 == 1, node_dimension);
    };
    hisparse<T> sum = part(0);
    ASSERT_GT(sum.census().wide_leaves(), 0);
    for (int k = 1; k < parts; ++k) {
        SCOPED_TRACE(std::to_string(k + 1) + " of " + std::to_string(parts) + " parts");
        sum = add(executor, T(1), sum, T(1), part(k));
        expect_nodes_of_conversion(executor, sum);
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_EQ(sum.census().wide_leaves(), 0);
    EXPECT_GT(sum.census().leaves(node_kind::diagonal), 0);
    coo<T> const found = to_coo(sum), expected = to_coo(to_csr(all));
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.columns, expected.columns);
    EXPECT_EQ(found.values, expected.values);
}

/// A case's matrix and its partner, by rows and as the sum has them.
template <class T>
struct sum_operands {
    csr<T> a, b;
    hisparse<T> op_a, op_b;
    std::string name;

    sum_operands(std::shared_ptr<memory> const& where, battery_case const& c, partner kind, sum_case const& s)
        : a(to_csr(with_values_of<T>(c.matrix))),
          b(to_csr(with_values_of<T>(partner_of(c.matrix, kind)))),
          op_a(scaled(stored_as(where, a, s.transpose_a, s.node_dimension), static_cast<T>(s.scale_a))),
          op_b(scaled(stored_as(where, b, s.transpose_b, s.node_dimension), static_cast<T>(s.scale_b))),
          name(c.name + ", partner " + std::to_string(static_cast<int>(kind)) + (s.transpose_a ? ", A^T" : "") +
               (s.transpose_b ? ", B^T" : "") + ", d " + std::to_string(s.node_dimension) +
               (sizeof(T) == 4 ? ", float" : ", double")) {}

    void expect(hisparse<T> const& c, sum_case const& s) const {
        expect_sum<T>(c, s.alpha * s.scale_a, a, s.beta * s.scale_b, b, name);
    }
};

template <class T, class Executor>
void check_sum(Executor& executor, battery_case const& c, partner kind, sum_case const& s) {
    sum_operands<T> const of(executor.memory(), c, kind, s);
    of.expect(add(executor, static_cast<T>(s.alpha), of.op_a, static_cast<T>(s.beta), of.op_b), s);
}

/// What a sum shares is copied where it is too little: C has much in common, and A and B have a leaf, a wide leaf and
/// an inner node each for themselves.
template <class T, class Executor>
void check_gathered_sum(Executor& executor) {
    constexpr int d = 64, block = d * d;
    auto const operand = [&](bool first) {
        coo<double> m = matrix_where(d, d, [](auto i, auto j) { return (i + j) % 2 == 0; });
        m.row_count = m.column_count = 3 * block;
        auto const put = [&](int row, int column) {
            m.rows.push_back(row);
            m.columns.push_back(column);
            m.values.push_back(row - 2 * column + 0.5);
        };
        int const away = first ? block : 2 * block;
        for (int k = 0; k < 6; ++k) put(70 * k, away + 130 * k);
        for (int k = 0; k < 10; ++k) first ? put(100 + k, 300 + 7 * k % 10) : put(300 + k, 100 + 7 * k % 10);
        for (int k = 0; k < 20; ++k) put(away + k, 3 * k % d);
        for (int k = 0; k < 20; ++k) put(away + d + k, d + 5 * k % d);
        return to_csr(with_values_of<T>(m));
    };
    csr<T> const a = operand(true), b = operand(false);
    for (bool transpose_a : {false, true})
        for (bool transpose_b : {false, true}) {
            hisparse<T> const op_a = stored_as(executor.memory(), a, transpose_a, d);
            hisparse<T> const op_b = stored_as(executor.memory(), b, transpose_b, d);
            ASSERT_EQ(op_a.census().wide_leaves(), 1);
            ASSERT_EQ(op_a.census().between(node_kind::sparse, 1, 1), 2);
            hisparse<T> const c = add(executor, T(1), op_a, T(1), op_b);
            expect_sum<T>(c, 1, a, 1, b, "gathered");
            ASSERT_EQ(c.content()->arenas.size(), 1u);
            EXPECT_EQ(c.content()->reachable_bytes, reachable_bytes(c));
            EXPECT_EQ(c.bytes(), reachable_bytes(c));  // each node once
            EXPECT_EQ(c.census().visits, compact(c).census().visits);
        }
}

/// Every case with one of the sums, in turn, and with each partner: check(std::type_identity<T>(), case, partner, sum).
template <class Check>
void for_each_sum(std::vector<battery_case> const& cases, Check check) {
    std::size_t turn = 0;
    for (battery_case const& c : cases) {
        sum_case const& s = sum_cases()[turn++ % sum_cases().size()];
        check(std::type_identity<double>(), c, partner::same_pattern, s);
        check(std::type_identity<double>(), c, partner::moved, s);
        check(std::type_identity<float>(), c, partner::elsewhere, s);
        check(std::type_identity<double>(), c, partner::none, s);
        if (testing::Test::HasFatalFailure()) return;
    }
}
template <class Executor>
void check_sums(Executor& executor, std::vector<battery_case> const& cases) {
    for_each_sum(cases, [&]<class T>(std::type_identity<T>, battery_case const& c, partner kind, sum_case const& s) {
        check_sum<T>(executor, c, kind, s);
    });
}

/// All sums of one case.
template <class Executor>
void check_all_sums(Executor& executor, battery_case const& c) {
    for (sum_case const& s : sum_cases())
        for (partner kind : {partner::same_pattern, partner::moved, partner::elsewhere, partner::none})
            check_sum<double>(executor, c, kind, s);
    for (sum_case const& s : sum_cases()) check_sum<float>(executor, c, partner::moved, s);
}

}  // namespace copse::tests
