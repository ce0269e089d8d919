// Edits against a map of entries: worked by hand, every state, errors, the edges of the shapes, products.
#include <copse/formats/hisparse_edit.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <copse/algebra/spmv.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/error.hpp>
#include <formats/edits/edit_tools.hpp>
#include <functional>
#include <limits>
#include <runtime/message_of.hpp>

namespace copse::tests {
namespace {

template <class T>
class hisparse_edit : public testing::Test {};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(hisparse_edit, value_types);

TYPED_TEST(hisparse_edit, applies_edits_in_the_order_given) {
    // [ 1 2 . ]     [ 9 .  5 ]
    // [ . 3 . ]     [ . 13 7 ]
    hisparse<TypeParam> const a(host_memory(), coo<TypeParam>{2, 3, {0, 0, 1}, {0, 1, 1}, {1, 2, 3}});
    auto const b = edit(a, edits<TypeParam>()
                               .set(0, 0, 9)
                               .erase(0, 1)
                               .add(1, 1, 10)
                               .add(1, 2, 7)  // creates
                               .erase(1, 0)   // nothing there
                               .set(0, 2, 4)  // four edits of one position
                               .erase(0, 2)
                               .add(0, 2, 2)
                               .add(0, 2, 3));
    EXPECT_EQ(map_of(b), (entry_map<TypeParam>{{{0, 0}, 9}, {{0, 2}, 5}, {{1, 1}, 13}, {{1, 2}, 7}}));
    EXPECT_EQ(map_of(a), (entry_map<TypeParam>{{{0, 0}, 1}, {{0, 1}, 2}, {{1, 1}, 3}}));
    EXPECT_EQ(b.entry_count(), 4);
    check_tree(b);
}

TYPED_TEST(hisparse_edit, keeps_an_entry_that_becomes_zero) {
    hisparse<TypeParam> const a(host_memory(), coo<TypeParam>{2, 2, {0}, {0}, {3}});
    EXPECT_EQ(map_of(edit(a, edits<TypeParam>().add(0, 0, -3).set(1, 1, 0))),
              (entry_map<TypeParam>{{{0, 0}, 0}, {{1, 1}, 0}}));
}

TYPED_TEST(hisparse_edit, takes_the_matrix_as_its_state_shows_it) {
    coo<double> const entries = matrix_where(130, 200, [](auto i, auto j) { return (i * 7 + j * 3) % 29 == 0; });
    edits<TypeParam> const changes =
        edits<TypeParam>().set(3, 120, 40).add(3, 100, 8).add(0, 0, 2).erase(29, 29).set(120, 129, 6).erase(7, 3);
    hisparse<TypeParam> const a = matrix_of<TypeParam>(entries);
    checked_edit(a, changes);
    checked_edit(a.transposed(), changes);
    checked_edit(a.scaled(TypeParam(-0.25)), changes);
    checked_edit(a.scaled(2).transposed(), changes);
    // A value is stored divided by the scale.
    auto const b = edit(a.scaled(3), edits<TypeParam>().set(5, 6, TypeParam(0.7)));
    EXPECT_EQ(map_of(b).at({5, 6}), TypeParam(3) * (TypeParam(0.7) / TypeParam(3)));
}

TYPED_TEST(hisparse_edit, writes_only_zeros_where_the_scale_is_zero) {
    hisparse<TypeParam> const a =
        matrix_of<TypeParam>(matrix_where(9, 9, [](auto i, auto j) { return i == j; })).scaled(0);
    auto const b = edit(a, edits<TypeParam>().set(1, 2, 0).add(3, 3, 0).erase(4, 4));
    EXPECT_EQ(b.entry_count(), 9);
    EXPECT_EQ(map_of(b).at({1, 2}), 0);
    EXPECT_FALSE(map_of(b).contains({4, 4}));
    EXPECT_THROW(edit(a, edits<TypeParam>().erase(1, 1).set(1, 2, 1)), argument_error);
    EXPECT_THROW(edit(a, edits<TypeParam>().add(1, 2, std::numeric_limits<TypeParam>::quiet_NaN())), argument_error);
}

TEST(hisparse_edit_errors, name_the_edit_and_the_shape) {
    hisparse<double> const a = matrix_of<double>(matrix_where(5, 4, [](auto, auto) { return true; }));
    EXPECT_EQ(
        message_of<shape_error>([&] { edit(a, edits<double>().set(4, 3, 1).set(5, 1, 1)); }),
        "edit: edit 1 (counted from 0) is at row 5, column 1; the matrix is 5 x 4, rows and columns counted from 0");
    EXPECT_EQ(
        message_of<shape_error>([&] { edit(transposed(a), edits<double>().erase(0, -1)); }),
        "edit: edit 0 (counted from 0) is at row 0, column -1; the matrix is 4 x 5, rows and columns counted from 0");
    EXPECT_THROW(edit(a, edits<double>().add(-1, 0, 1)), shape_error);
    EXPECT_THROW(edit(a, edits<double>().add(0, 4, 1)), shape_error);
    EXPECT_THROW(edit(hisparse<double>(host_memory(), empty_matrix(0, 5)), edits<double>().set(0, 0, 1)), shape_error);
    EXPECT_EQ(message_of<argument_error>([&] { edit(scaled(a, 0.0), edits<double>().set(0, 0, 1)); }),
              "edit: edit 0 (counted from 0) has a value other than 0, but the matrix's scale is 0: every entry of it "
              "reads as 0; edit the matrix before it is scaled");
    EXPECT_EQ(message_of<argument_error>([&] { edit(scaled(a, 1e-300), edits<double>().erase(0, 0).set(0, 1, 1e10)); }),
              "edit: edit 1 (counted from 0): its value of 1e+10 cannot be stored under the matrix's scale of 1e-300: "
              "divided by the scale, the value is too large or too small to be read back; edit the matrix before it is "
              "scaled");
    double const infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(message_of<argument_error>([&] { edit(scaled(a, infinite), edits<double>().set(0, 1, 1)); }),
              "edit: edit 0 (counted from 0) gives a value, but the matrix's scale is not finite, and nothing reads as "
              "that value; edit the matrix before it is scaled");
    EXPECT_EQ(edit(scaled(a, infinite), edits<double>().erase(0, 0)).entry_count(), a.entry_count() - 1);
    EXPECT_EQ(map_of(edit(scaled(a, 1e-3), edits<double>().set(0, 0, infinite))).at({0, 0}), infinite);
}

/// Whether a matrix with this scale takes v, and reads as it but for a rounding.
template <class T>
bool takes(T scale, T v) {
    hisparse<T> const a = hisparse<T>(host_memory(), coo<T>{2, 2, {0}, {0}, {1}}).scaled(scale);
    try {
        T const read = map_of(edit(a, edits<T>().set(0, 1, v))).at({0, 1});
        EXPECT_LE(std::abs(read - v), std::numeric_limits<T>::epsilon() * std::abs(v)) << v << " under " << scale;
        EXPECT_EQ(map_of(edit(a, edits<T>().add(0, 1, v))).at({0, 1}), read);
        return true;
    } catch (argument_error const&) {
        EXPECT_THROW(edit(a, edits<T>().add(0, 1, v)), argument_error);
        return false;
    }
}

TYPED_TEST(hisparse_edit, refuses_values_that_it_would_lose) {
    using limits = std::numeric_limits<TypeParam>;
    TypeParam const least = limits::min(), most = limits::max(), smallest = limits::denorm_min();
    TypeParam const large = std::sqrt(most), small = std::sqrt(least);
    EXPECT_FALSE(takes(large, least));
    EXPECT_FALSE(takes(large, 2 * least));
    EXPECT_FALSE(takes(TypeParam(2), least));  // least / 2 has fewer digits
    EXPECT_TRUE(takes(TypeParam(2), 2 * least));
    EXPECT_FALSE(takes(TypeParam(3), TypeParam(2.5) * least));
    EXPECT_TRUE(takes(TypeParam(-3), TypeParam(3.5) * least));
    EXPECT_FALSE(takes(small, most));
    EXPECT_FALSE(takes(TypeParam(0.5), TypeParam(0.75) * most));
    EXPECT_TRUE(takes(TypeParam(0.5), TypeParam(-0.5) * most));
    EXPECT_TRUE(takes(large, most));
    EXPECT_TRUE(takes(large, TypeParam(0)));
    // Below the normal numbers: only what loses nothing.
    EXPECT_TRUE(takes(TypeParam(1), smallest));
    EXPECT_TRUE(takes(TypeParam(1), least / 4));
    EXPECT_TRUE(takes(TypeParam(-2), least / 4));
    EXPECT_TRUE(takes(small, smallest));
    EXPECT_FALSE(takes(TypeParam(2), smallest));
    EXPECT_FALSE(takes(TypeParam(2), 3 * smallest));
    EXPECT_TRUE(takes(TypeParam(2), 4 * smallest));
    // A rounding up that would read as infinite.
    int refused = 0;
    for (int k = 3; k < 200; ++k) refused += takes(TypeParam(k), most) ? 0 : 1;
    EXPECT_LT(refused, 100);
}

TYPED_TEST(hisparse_edit, refuses_sums_that_overflow_as_they_are_stored) {
    TypeParam const most = std::numeric_limits<TypeParam>::max();
    TypeParam const v = most * TypeParam(0.45);
    coo<TypeParam> const one{70, 70, {0, 69}, {0, 69}, {1, 1}};
    hisparse<TypeParam> const first(host_memory(), one, {.node_dimension = 64});
    for (hisparse<TypeParam> const& a : {first.scaled(TypeParam(0.5)), first.scaled(TypeParam(-0.5)).transposed()}) {
        hisparse<TypeParam> const b = edit(a, edits<TypeParam>().set(69, 69, v).set(0, 0, -v));
        auto const changes =
            edits<TypeParam>().add(1, 1, v).add(0, 0, v).erase(3, 3).add(69, 69, v).set(5, 5, 2).add(69, 69, v);
        EXPECT_EQ(message_of<argument_error>([&] { edit(b, changes); }),
                  "edit: edit 3 (counted from 0) adds a value to an entry, and the sum divided by the matrix's scale, "
                  "as it would be stored, is too large; edit the matrix before it is scaled");
        EXPECT_THROW(edit(b, edits<TypeParam>().add(0, 0, -v)), argument_error);
        EXPECT_THROW(edit(b, edits<TypeParam>().set(9, 9, v).add(9, 9, v).set(9, 9, 1)), argument_error);
        EXPECT_EQ(map_of(edit(b, edits<TypeParam>().add(69, 69, -v).add(0, 0, v))).at({69, 69}), 0);
    }
    // Where what is stored is not less than what it reads, the sum is what it is.
    hisparse<TypeParam> const same = edit(first, edits<TypeParam>().set(0, 0, most).add(0, 0, most));
    EXPECT_EQ(map_of(same).at({0, 0}), std::numeric_limits<TypeParam>::infinity());
    hisparse<TypeParam> const half = first.scaled(TypeParam(0.5));
    TypeParam const infinite = std::numeric_limits<TypeParam>::infinity();
    EXPECT_EQ(map_of(edit(half, edits<TypeParam>().set(0, 0, infinite).add(0, 0, 1))).at({0, 0}), infinite);
    EXPECT_EQ(map_of(edit(half, edits<TypeParam>().add(0, 0, infinite))).at({0, 0}), infinite);
}

TEST(hisparse_edit_without_effect, shares_the_whole_content) {
    hisparse<double> const a =
        matrix_of<double>(matrix_where(200, 200, [](auto i, auto j) { return (i + j) % 3 == 0; }));
    EXPECT_EQ(edit(a, edits<double>()).content(), a.content());
    EXPECT_EQ(edit(a, edits<double>().erase(0, 1).set(0, 2, 9).erase(0, 2)).content(), a.content());
    auto const value = map_of(a).at({0, 0});
    EXPECT_EQ(edit(a, edits<double>().set(0, 0, value)).content(), a.content());
    hisparse<double> const nothing(host_memory(), empty_matrix(200, 200));
    EXPECT_EQ(edit(nothing, edits<double>().erase(3, 3)).content(), nothing.content());
}

TEST(hisparse_edit_without_effect, tells_zeros_and_not_numbers_apart_by_their_bits) {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    hisparse<double> const a(host_memory(), coo<double>{2, 2, {0, 1}, {0, 1}, {nan, 0.0}});
    EXPECT_EQ(edit(a, edits<double>().set(0, 0, nan)).content(), a.content());
    auto const b = edit(a, edits<double>().set(1, 1, -0.0));
    EXPECT_TRUE(std::signbit(to_coo(b).values[1]));
}

TEST(hisparse_edit_shapes, start_from_nothing_and_return_to_it) {
    std::int64_t const most = std::int64_t{1} << 31;
    for (auto [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                        {1, 5000},
                        {5000, 1},
                        {65, 63},
                        {8192, 8193},
                        {most, most},
                        {1, most}})
        for (int d : {64, 128, 256}) {
            SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + ", d = " + std::to_string(d));
            hisparse<double> const nothing(host_memory(), empty_matrix(m, n), {.node_dimension = d});
            hisparse<double> const some = checked_edit(
                nothing, edits<double>().set(m - 1, n - 1, 1).add(0, 0, 2).set(m / 2, n / 3, 3).add(m - 1, 0, 4));
            hisparse<double> const fewer = checked_edit(some.transposed(), edits<double>().erase(n - 1, m - 1));
            hisparse<double> const none =
                checked_edit(fewer, edits<double>().erase(0, 0).erase(n / 3, m / 2).erase(0, m - 1));
            EXPECT_EQ(none.entry_count(), 0);
            EXPECT_EQ(none.bytes(), 0);
            EXPECT_FALSE(none.root());
            checked_edit(none, edits<double>().set(n - 1, 0, 7));
        }
}

TEST(hisparse_edit_shapes, make_a_node_for_each_level_of_the_largest) {
    std::int64_t const n = std::int64_t{1} << 31;
    hisparse<double> const nothing(host_memory(), empty_matrix(n, n), {.node_dimension = 64});
    EXPECT_EQ(edit(nothing, edits<double>().set(n - 1, n - 6, 1)).bytes(), 6 * 16);
    EXPECT_EQ(path_to(edit(nothing, edits<double>().set(n - 1, n - 6, 1)), 2147483647, 2147483642).size(), 6);
}

TEST(hisparse_edit_products, are_those_of_the_entries) {
    cpu executor(2);
    hisparse<double> a = matrix_of<double>(scattered(5000, 4700, 30000, 12));
    std::mt19937_64 random(5);
    for (int round = 0; round < 4; ++round) {
        edits<double> changes;
        for (int k = 0; k < 300; ++k) {
            auto const i = static_cast<std::int64_t>(random() % 5000), j = static_cast<std::int64_t>(random() % 300);
            k % 3 == 0 ? changes.erase(i, j) : changes.add(i, j, static_cast<double>(k % 7));
        }
        a = edit(a, changes);
        for (hisparse<double> const& op : {a, a.transposed()}) {
            std::vector<double> x(static_cast<std::size_t>(op.column_count())),
                y(static_cast<std::size_t>(op.row_count()));
            for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(k % 11) - 5;
            std::vector<double> expected(y.size());
            for (auto const& [position, value] : map_of(op))
                expected[static_cast<std::size_t>(position.first)] +=
                    value * x[static_cast<std::size_t>(position.second)];
            spmv(executor, 1.0, op, x, 0.0, y);
            EXPECT_EQ(y, expected);  // whole numbers
        }
    }
}

}  // namespace
}  // namespace copse::tests
