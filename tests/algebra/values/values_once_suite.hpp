// Matrices that store less than each node with a value for each entry, beside the same ones that store that: every
// operation must say the same of both.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/products/spmv_suite.hpp>
#include <bit>
#include <copse/algebra/add.hpp>
#include <copse/algebra/map_entries.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace copse::tests {

/// Which entries have the same value.
enum class repeated { all, along_diagonals, in_blocks, nearly_all, none };

/// Values that are exact in float, a seventh of them zero. d: rows of a block.
inline coo<double> with_repeated_values(coo<double> a, repeated which, int d) {
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        std::int64_t const i = a.rows[k], j = a.columns[k];
        auto const numbered = [](std::int64_t n) { return static_cast<double>((n % 7 + 7) % 7) - 2; };
        switch (which) {
            case repeated::all:
                a.values[k] = 1.5;
                break;
            case repeated::along_diagonals:
                a.values[k] = numbered(j - i);
                break;
            case repeated::in_blocks:
                a.values[k] = numbered(i / d + 3 * (j / d));
                break;
            case repeated::nearly_all:
                a.values[k] = k % 97 == 13 ? -0.5 : 1.5;
                break;
            case repeated::none:
                a.values[k] = numbered(static_cast<std::int64_t>(k * k));
                break;
        }
    }
    return a;
}

struct pattern_case {
    std::string name;
    coo<double> pattern;
    int node_dimension;
    node_kind leaves;
};

/// Square, with leaves of each kind, some of them without streaks, some with others beside the streaks.
inline std::vector<pattern_case> pattern_cases() {
    using enum node_kind;
    return {
        {"lists", matrix_where(200, 200, [](auto i, auto j) { return (7 * i + 13 * j) % 31 == 0; }), 64, sparse},
        {"a list of two", matrix_where(64, 64, [](auto i, auto j) { return i == 3 && (j == 8 || j == 60); }), 64,
         sparse},
        {"streaks", matrix_where(190, 190, [](auto i, auto j) { return i == j || j == i + 9 || i == j + 70; }), 64,
         diagonal},
        {"streaks and others",
         matrix_where(150, 150, [](auto i, auto j) { return (i == j && i % 19 != 7) || (i * i + 3 * j) % 41 == 2; }),
         64, diagonal},
        {"streaks of d = 256",
         matrix_where(300, 300, [](auto i, auto j) { return i == j || j == i + 1 || (i % 17 == 0 && j % 29 == 0); }),
         256, diagonal},
        {"dense", matrix_where(130, 130, [](auto i, auto) { return i % 6 != 5; }), 64, dense},
        {"full", matrix_where(128, 128, [](auto, auto) { return true; }), 64, dense},
        {"wide", scattered(3000, 3000, 700, 5), 64, wide},
        {"wide and lists",
         matrix_where(5000, 5000,
                      [](auto i, auto j) {
                          return (i % 700 == 3 && j % 650 == 9) || (i < 64 && j < 64 && (5 * i + 3 * j) % 29 == 0);
                      }),
         64, wide}};
}

/// Equal bits: zeros of either sign differ.
template <class T>
std::vector<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>> bits_of(std::vector<T> const& values) {
    using word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    std::vector<word> bits;
    for (T value : values) bits.push_back(std::bit_cast<word>(value));
    return bits;
}
enum class zeros { as_they_are, of_any_sign };
template <class T>
void expect_same_bits(hisparse<T> const& found, hisparse<T> const& expected, char const* what,
                      zeros which = zeros::as_they_are) {
    coo<T> a = to_coo(found), b = to_coo(expected);
    EXPECT_EQ(a.rows, b.rows) << what;
    EXPECT_EQ(a.columns, b.columns) << what;
    for (coo<T>* m : {&a, &b})
        for (T& value : m->values)
            if (which == zeros::of_any_sign && value == T(0)) value = T(0);
    EXPECT_EQ(bits_of(a.values), bits_of(b.values)) << what;
}

/// Leaves of a matrix that store repeated values once.
template <class T>
std::int64_t leaves_with_values_once(hisparse<T> const& a) {
    hisparse<T> const here = compact(a);
    auto const tree = here.tree();
    auto const count = [&](auto const& self, node n) -> std::int64_t {
        if (!n) return 0;
        if (n.reference.is_leaf()) return n.reference.values_once() ? 1 : 0;
        std::int64_t sum = 0;
        for (int i = 0; i < tree.child_count(n); ++i) sum += self(self, tree.child(n, i));
        return sum;
    };
    return a.space() == memory_space::host ? count(count, here.root()) : -1;
}

template <class T>
struct both_ways {
    hisparse<T> each;
    hisparse<T> once;
};
template <class T, class Executor>
both_ways<T> stored_both_ways(Executor& executor, coo<double> const& entries, hisparse_options const& options) {
    coo<T> const typed = with_values_of<T>(entries);
    return {hisparse<T>(executor, typed, {.node_dimension = options.node_dimension, .values = stored_values::each}),
            hisparse<T>(executor, typed, options)};
}
template <class T, class Executor>
both_ways<T> stored_both_ways(Executor& executor, coo<double> const& entries, int d) {
    return stored_both_ways<T>(executor, entries, {.node_dimension = d, .values = stored_values::once});
}

/// There and back.
template <class T, class Executor>
void check_rows_of(Executor& executor, both_ways<T> const& a) {
    expect_same_bits(a.once, a.each, "as it is");
    expect_same_bits(scaled(transposed(a.once), T(-2)), scaled(transposed(a.each), T(-2)), "transposed and scaled");
    if constexpr (requires { to_csr_matrix(executor, a.once); }) {
        EXPECT_EQ(bits_of(to_csr(to_csr_matrix(executor, transposed(a.once))).values),
                  bits_of(to_csr(to_csr_matrix(executor, transposed(a.each))).values));
    }
    EXPECT_EQ(a.once.census().visits, a.each.census().visits);
    EXPECT_EQ(a.once.entry_count(), a.each.entry_count());
    expect_same_bits(compact(executor, a.once), a.each, "compacted");
    EXPECT_EQ(reachable_bytes(compact(executor, a.once)), reachable_bytes(a.once));
}

template <class T, class Executor>
void check_products_of(Executor& executor, both_ways<T> const& a, coo<double> const& entries, std::string const& name) {
    csr<T> const rows = to_csr(with_values_of<T>(entries));
    for (bool transposed : {false, true})
        for (special_values special : {special_values::none, special_values::nan_and_infinity_in_x}) {
            expected_product<T> const expected(rows, {transposed, 2, -1, 0.5}, special);
            check_product_of<one_shot>(executor, a.once, expected, name);
            check_product_of<by_plan>(executor, a.once, expected, name);
        }
}

/// Of matrices that store negatives once, sums that are zero have either sign.
template <class T, class Executor>
void check_sums_of(Executor& executor, both_ways<T> const& a, both_ways<T> const& b, zeros of_sums) {
    auto const check = [&](hisparse<T> const& x, hisparse<T> const& y, hisparse<T> const& x_each,
                           hisparse<T> const& y_each) {
        for (T alpha : {T(1), T(-3)})
            expect_same_bits(add(executor, alpha, x, T(2), y), add(executor, alpha, x_each, T(2), y_each), "a sum",
                             of_sums);
    };
    check(a.once, b.once, a.each, b.each);
    check(a.once, transposed(a.once), a.each, transposed(a.each));
    check(transposed(b.once), a.each, transposed(b.each), a.each);
}

/// What the kit walks by.
struct value_and_place {
    template <class V>
    COPSE_HOST_DEVICE V operator()(std::int64_t row, std::int64_t column, V value) const {
        return value + static_cast<V>(row % 16) - static_cast<V>(column % 8);
    }
};
struct difference {
    template <class V>
    COPSE_HOST_DEVICE V operator()(std::int64_t, std::int64_t, V a, V b) const {
        return a - V(2) * b;
    }
};
template <class T, class Executor>
void check_new_matrices_of(Executor& executor, both_ways<T> const& a, both_ways<T> const& b) {
    expect_same_bits(prune(executor, a.once), prune(executor, a.each), "prune");
    expect_same_bits(sub_matrix(executor, a.once, {2, 50}, {1, 40}), sub_matrix(executor, a.each, {2, 50}, {1, 40}),
                     "sub_matrix");
    if constexpr (!std::is_same_v<Executor, gpu>) {
        expect_same_bits(map_entries(executor, a.once, value_and_place()),
                         map_entries(executor, a.each, value_and_place()), "map_entries");
        for (auto const& [y, y_each] : {std::pair{b.once, b.each}, {transposed(b.once), transposed(b.each)}})
            expect_same_bits(map_entry_pairs<pairs::both>(executor, a.once, y, difference()),
                             map_entry_pairs<pairs::both>(executor, a.each, y_each, difference()), "pairs");
    }
}

template <class T, class Executor>
void check_values_of(Executor& executor, both_ways<T> const& a, compact_options const& options) {
    std::vector<T> values(static_cast<std::size_t>(a.each.entry_count()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 1000) + T(1);
    buffer<T> const given(executor, values);
    hisparse<T> const made = with_values(executor, transposed(a.once), given);
    expect_same_bits(made, with_values(executor, transposed(a.each), given), "with_values");
    for (T& value : values) value += T(1);
    buffer<T> const again(executor, values);
    expect_same_bits(with_values(executor, made, again), with_values(executor, transposed(a.each), again), "again");
    hisparse<T> const folded = compact(executor, a.each, options);
    expect_same_bits(folded, a.each, "compacted");
    EXPECT_EQ(reachable_bytes(folded), reachable_bytes(a.once));
}

/// entries: of a; options: that make a.once of a.each.
template <class T, class Executor>
void check_every_operation(Executor& executor, both_ways<T> const& a, both_ways<T> const& b, coo<double> const& entries,
                           compact_options const& options) {
    check_rows_of(executor, a);
    check_products_of<T>(executor, a, entries, "stored in less");
    check_sums_of(executor, a, b, options.share_transposed ? zeros::of_any_sign : zeros::as_they_are);
    check_new_matrices_of(executor, a, b);
    check_values_of(executor, a, options);
}

template <class T, class Executor>
void check_values_once(Executor& executor, pattern_case const& c, repeated which) {
    SCOPED_TRACE(c.name + ", values " + std::to_string(static_cast<int>(which)));
    coo<double> const entries = with_repeated_values(in_order(c.pattern), which, c.node_dimension);
    auto const a = stored_both_ways<T>(executor, entries, c.node_dimension);
    EXPECT_GT(a.each.census().between(c.leaves, 0, 1), 0);
    if (which == repeated::all && a.each.entry_count() > 2) {
        EXPECT_LT(4 * reachable_bytes(a.once), 3 * reachable_bytes(a.each));
    } else {
        EXPECT_LE(reachable_bytes(a.once), reachable_bytes(a.each));
    }
    coo<double> turned = with_repeated_values(entries, repeated::in_blocks, c.node_dimension);
    std::swap(turned.rows, turned.columns);
    check_every_operation(executor, a, stored_both_ways<T>(executor, turned, c.node_dimension), entries,
                          {.values_once = true});
}

}  // namespace copse::tests
