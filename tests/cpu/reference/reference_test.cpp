// The oracle against results worked by hand, and its error bound against hand-made errors.
#include <gtest/gtest.h>

#include <cmath>
#include <copse/cpu/reference.hpp>
#include <copse/runtime/error.hpp>
#include <limits>

namespace {

using copse::csr;
namespace reference = copse::reference;

template <class T>
class reference_test : public testing::Test {
  public:
    static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    static constexpr T infinity = std::numeric_limits<T>::infinity();
    static constexpr T eps = std::numeric_limits<T>::epsilon();

    // [ 1 0 2 0 ]
    // [ 0 0 0 0 ]
    // [ 4 0 5 6 ]
    csr<T> const a{3, 4, {0, 2, 2, 5}, {0, 2, 0, 2, 3}, {1, 2, 4, 5, 6}};
};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(reference_test, value_types);

TYPED_TEST(reference_test, product_by_hand) {
    using T = TypeParam;
    std::vector<T> const x{1, 10, 100, 1000};
    std::vector<T> y{1, 2, 3};
    reference::spmv<T>(2, this->a, false, x, 3, y);
    EXPECT_EQ(y, (std::vector<T>{2 * 201 + 3, 6, 2 * 6504 + 9}));
}

TYPED_TEST(reference_test, transposed_product_by_hand) {
    using T = TypeParam;
    std::vector<T> const x{1, 10, 100};
    std::vector<T> y{1, 2, 3, 4};
    reference::spmv<T>(2, this->a, true, x, -1, y);
    EXPECT_EQ(y, (std::vector<T>{2 * 401 - 1, -2, 2 * 502 - 3, 2 * 600 - 4}));
}

TYPED_TEST(reference_test, beta_zero_does_not_read_y) {
    using T = TypeParam;
    std::vector<T> y(3, this->nan);
    reference::spmv<T>(1, this->a, false, std::vector<T>{1, 1, 1, 1}, 0, y);
    EXPECT_EQ(y, (std::vector<T>{3, 0, 15}));
}

TYPED_TEST(reference_test, alpha_zero_reads_neither_a_nor_x) {
    using T = TypeParam;
    auto spoilt = this->a;
    spoilt.values.assign(5, this->infinity);
    std::vector<T> const x(4, this->nan);
    std::vector<T> y{1, 2, 3};
    reference::spmv<T>(0, spoilt, false, x, 2, y);
    EXPECT_EQ(y, (std::vector<T>{2, 4, 6}));
    reference::spmv<T>(0, spoilt, false, x, 0, y);
    EXPECT_EQ(y, (std::vector<T>{0, 0, 0}));
}

TYPED_TEST(reference_test, an_alpha_that_is_not_finite_meets_whole_sums) {
    using T = TypeParam;
    T const inf = this->infinity, none = this->nan;
    // 1 -1 .     row 0 cancels, row 1 has nothing, row 2 leaves 1, row 3 leaves -4
    // .  . .
    // 3 -1 -1
    // . -4 .
    csr<T> const rows{4, 3, {0, 2, 2, 5, 6}, {0, 1, 0, 1, 2, 1}, {1, -1, 3, -1, -1, -4}};
    std::vector<T> const ones(3, 1);
    auto const product = [&](T alpha, T beta, std::vector<T> y) {
        reference::spmv<T>(alpha, rows, false, ones, beta, y);
        return y;
    };
    auto const is = [&](std::vector<T> const& found, std::vector<T> const& wanted) {
        return reference::max_error<T>(found, wanted, std::vector<long double>(wanted.size())) == 0;
    };
    EXPECT_TRUE(is(product(inf, 0, {none, none, none, none}), {none, none, inf, -inf}));
    EXPECT_TRUE(is(product(-inf, 1, {5, 5, 5, -inf}), {none, none, -inf, none}));
    EXPECT_TRUE(is(product(none, 0, {5, 5, 5, 5}), {none, none, none, none}));
    EXPECT_TRUE(is(product(0, inf, {5, 0, -5, none}), {inf, none, -inf, none}));
    std::vector<T> const four(4, 1);
    std::vector<T> z(3);
    reference::spmv<T>(inf, rows, true, four, 0, z);
    EXPECT_TRUE(is(z, {inf, -inf, -inf}));
    // Where rounding may make a sum 0, or turn its sign, any result that is not finite is right.
    auto const bound = reference::spmv_error_bound<T>(inf, rows, false, ones, 0, four);
    EXPECT_EQ(bound, (std::vector<long double>{reference::any_not_finite, 0, 0, 0}));
    for (T const any : {inf, -inf, none})
        EXPECT_EQ(reference::max_error<T>(std::vector<T>{any, none, inf, -inf}, product(inf, 0, four), bound), 0);
    for (auto const& wrong :
         {std::vector<T>{0, none, inf, -inf}, {none, 0, inf, -inf}, {none, none, none, -inf}, {none, none, inf, inf}})
        EXPECT_GT(reference::max_error<T>(wrong, product(inf, 0, four), bound), 1);
}

TYPED_TEST(reference_test, nan_and_infinity_travel_along_entries_only) {
    using T = TypeParam;
    std::vector<T> y(3, 0);
    reference::spmv<T>(1, this->a, false, std::vector<T>{1, this->nan, 1, this->infinity}, 0, y);
    EXPECT_EQ(y, (std::vector<T>{3, 0, this->infinity}));  // nobody refers to column 1
    std::vector<T> z(4, 0);
    reference::spmv<T>(1, this->a, true, std::vector<T>{this->nan, this->infinity, 1}, 0, z);
    EXPECT_TRUE(std::isnan(z[0]) && std::isnan(z[2]));
    EXPECT_EQ(z[1], 0);
    EXPECT_EQ(z[3], 6);
}

TYPED_TEST(reference_test, rounds_once) {
    using T = TypeParam;
    // 1 + eps/2 three times: each addition alone would round back to 1, their exact sum 1 + 3/2 eps does not.
    csr<T> const row{1, 4, {0, 4}, {0, 1, 2, 3}, {1, this->eps / 2, this->eps / 2, this->eps / 2}};
    std::vector<T> y(1);
    reference::spmv<T>(1, row, false, std::vector<T>{1, 1, 1, 1}, 0, y);
    EXPECT_EQ(y[0], 1 + 2 * this->eps);
}

TYPED_TEST(reference_test, shapes) {
    using T = TypeParam;
    std::vector<T> y3(3), y4(4);
    std::vector<T> const x3(3), x4(4);
    EXPECT_THROW(reference::spmv<T>(1, this->a, false, x3, 0, y3), copse::shape_error);
    EXPECT_THROW(reference::spmv<T>(1, this->a, false, x4, 0, y4), copse::shape_error);
    EXPECT_THROW(reference::spmv<T>(1, this->a, true, x4, 0, y4), copse::shape_error);
    EXPECT_THROW(reference::spmv<T>(1, this->a, true, x3, 0, y3), copse::shape_error);
    EXPECT_THROW(reference::spmv_error_bound<T>(1, this->a, false, x3, 0, y3), copse::shape_error);
    EXPECT_THROW(reference::max_error<T>(x3, x4, std::vector<long double>(3)), copse::shape_error);
    EXPECT_THROW(reference::max_error<T>(x3, x3, std::vector<long double>(4)), copse::shape_error);
    try {
        reference::spmv<T>(1, this->a, true, x3, 0, y3);
        FAIL();
    } catch (copse::shape_error const& e) {
        EXPECT_STREQ(e.what(), "spmv: op(A) is 4 x 3, so y must have 4 elements; it has 3");
    }
}

TYPED_TEST(reference_test, bound_by_hand) {
    using T = TypeParam;
    std::vector<T> const x{1, 10, -100, 1000};
    std::vector<T> const y{1, -2, 3};
    auto const bound = reference::spmv_error_bound<T>(-2, this->a, false, x, 3, y);
    ASSERT_EQ(bound.size(), 3U);
    // The underflow terms are too small to show here.
    EXPECT_EQ(bound[0], (2 + 3) * static_cast<long double>(this->eps) * (2 * 201 + 3));
    EXPECT_EQ(bound[1], 3 * static_cast<long double>(this->eps) * 6);
    EXPECT_EQ(bound[2], (3 + 3) * static_cast<long double>(this->eps) * (2 * 6504 + 9));
    auto const transposed = reference::spmv_error_bound<T>(1, this->a, true, y, 0, x);
    EXPECT_EQ(transposed[0], (2 + 3) * static_cast<long double>(this->eps) * 13);
    EXPECT_EQ(transposed[1], 0);
    EXPECT_EQ(transposed[3], (1 + 3) * static_cast<long double>(this->eps) * 18);
}

TYPED_TEST(reference_test, bound_leaves_unread_what_the_product_does) {
    using T = TypeParam;
    std::vector<T> const nan3(3, this->nan);
    std::vector<T> const nan4(4, this->nan);
    std::vector<T> const ones(4, 1);
    for (auto const bound : reference::spmv_error_bound<T>(0, this->a, false, nan4, 0, nan3)) EXPECT_EQ(bound, 0);
    auto const bound = reference::spmv_error_bound<T>(1, this->a, false, ones, 0, nan3);
    EXPECT_EQ(bound[0], 5 * static_cast<long double>(this->eps) * 3);
}

TYPED_TEST(reference_test, bound_covers_products_that_underflow) {
    using T = TypeParam;
    T const tiny = std::numeric_limits<T>::min();
    csr<T> const one{1, 1, {0, 1}, {0}, {tiny}};
    std::vector<T> const x{tiny};
    std::vector<T> const y{0};
    // tiny * tiny is 0 in T; brought back by alpha, its loss shows in no other term.
    auto const alpha = static_cast<T>(1 / tiny);
    auto const bound = reference::spmv_error_bound<T>(alpha, one, false, x, 0, y);
    std::vector<T> expected{0};
    reference::spmv<T>(alpha, one, false, x, 0, expected);
    EXPECT_EQ(expected[0], tiny);
    EXPECT_LE(reference::max_error<T>(y, expected, bound), 1);
}

TYPED_TEST(reference_test, max_error_is_the_largest_ratio) {
    using T = TypeParam;
    std::vector<long double> const bound{2, 4, 0};
    EXPECT_EQ(reference::max_error<T>(std::vector<T>{1, 2, 3}, std::vector<T>{1, 2, 3}, bound), 0);
    EXPECT_EQ(reference::max_error<T>(std::vector<T>{2, 3, 3}, std::vector<T>{1, 2, 3}, bound), 0.5);
    EXPECT_EQ(reference::max_error<T>(std::vector<T>{1, -4, 3}, std::vector<T>{1, 2, 3}, bound), 1.5);
    EXPECT_EQ(reference::max_error<T>(std::vector<T>{1, 2, 4}, std::vector<T>{1, 2, 3}, bound),
              std::numeric_limits<double>::infinity());
    EXPECT_EQ(reference::max_error<T>(std::vector<T>{}, std::vector<T>{}, std::vector<long double>{}), 0);
}

TYPED_TEST(reference_test, max_error_compares_nan_and_infinity_as_classes) {
    using T = TypeParam;
    T const none = this->nan;
    T const inf = this->infinity;
    auto const error = [](T computed, T expected) {
        return reference::max_error<T>(std::vector<T>{computed}, std::vector<T>{expected},
                                       std::vector<long double>{std::numeric_limits<long double>::infinity()});
    };
    auto const wrong = std::numeric_limits<double>::infinity();
    EXPECT_EQ(error(none, none), 0);
    EXPECT_EQ(error(-none, none), 0);
    EXPECT_EQ(error(inf, inf), 0);
    EXPECT_EQ(error(-inf, -inf), 0);
    EXPECT_EQ(error(inf, -inf), wrong);
    EXPECT_EQ(error(none, inf), wrong);
    EXPECT_EQ(error(inf, none), wrong);
    EXPECT_EQ(error(none, 1), wrong);
    EXPECT_EQ(error(1, none), wrong);
    EXPECT_EQ(error(1, inf), wrong);
    EXPECT_EQ(error(inf, 1), wrong);
}

// [ 1 . 2 ]   [ . 5 1 ]
// [ . . 3 ]   [ . . 4 ]
TYPED_TEST(reference_test, sums_by_hand) {
    using T = TypeParam;
    csr<T> const left{2, 3, {0, 2, 3}, {0, 2, 2}, {1, 2, 3}};
    csr<T> const right{2, 3, {0, 2, 3}, {1, 2, 2}, {5, 1, 4}};
    auto const sum = reference::add<T>(2, left, false, -10, right, false);
    copse::check(sum.c);
    EXPECT_EQ(sum.c.row_offsets, (std::vector<std::int64_t>{0, 3, 4}));
    EXPECT_EQ(sum.c.column_indices, (std::vector<std::int32_t>{0, 1, 2, 2}));
    EXPECT_EQ(sum.c.values, (std::vector<T>{2, -50, -6, -34}));
    long double const step = 2 * static_cast<long double>(this->eps);
    for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(static_cast<double>(sum.bound[k] / step), (std::vector<double>{2, 50, 14, 46})[k], 1e-6);

    auto const transposed = reference::add<T>(2, left, true, -10, right, true);
    EXPECT_EQ(transposed.c.row_offsets, (std::vector<std::int64_t>{0, 1, 2, 4}));
    EXPECT_EQ(transposed.c.values, (std::vector<T>{2, -50, -6, -34}));
    EXPECT_THROW(reference::add<T>(1, left, true, 1, right, false), copse::shape_error);
}

TYPED_TEST(reference_test, a_sum_without_its_zeros) {
    using T = TypeParam;
    csr<T> const left{3, 3, {0, 2, 2, 4}, {0, 2, 0, 1}, {1, 2, 3, 0}};
    csr<T> const right{3, 3, {0, 1, 1, 2}, {0, 2}, {-1, 4}};
    auto const sum = reference::without_zeros(reference::add<T>(1, left, false, 1, right, false));
    copse::check(sum.c);
    EXPECT_EQ(sum.c.row_offsets, (std::vector<std::int64_t>{0, 1, 1, 3}));
    EXPECT_EQ(sum.c.column_indices, (std::vector<std::int32_t>{2, 0, 2}));
    EXPECT_EQ(sum.c.values, (std::vector<T>{2, 3, 4}));
    EXPECT_EQ(sum.bound.size(), 3u);
    EXPECT_EQ(reference::max_error(sum.c, sum), 0);
}

// What comes of a product that is too large, and of another that cancels it, depends on which is taken first.
TYPED_TEST(reference_test, a_sum_of_products_that_overflow_may_be_anything) {
    using T = TypeParam;
    T const most = std::numeric_limits<T>::max();
    csr<T> const left{1, 2, {0, 2}, {0, 1}, {2, 1}}, right{1, 2, {0, 2}, {0, 1}, {2, 1}};
    auto const sum = reference::add<T>(most, left, false, -most, right, false);
    for (T const any : {T(0), most, std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()})
        EXPECT_EQ(reference::max_error({1, 2, {0, 2}, {0, 1}, {any, 0}}, sum), 0) << any;
    EXPECT_GT(reference::max_error({1, 2, {0, 2}, {0, 1}, {0, std::numeric_limits<T>::quiet_NaN()}}, sum), 1);
    // What only one operand has is infinite, and so is what infinite values make.
    T const infinite = std::numeric_limits<T>::infinity();
    csr<T> const none{1, 2, {0, 0}, {}, {}};
    auto const alone = reference::add<T>(most, left, false, 1, none, false);
    EXPECT_EQ(reference::max_error({1, 2, {0, 2}, {0, 1}, {infinite, most}}, alone), 0);
    EXPECT_GT(reference::max_error({1, 2, {0, 2}, {0, 1}, {most, most}}, alone), 1);
}

TYPED_TEST(reference_test, a_sum_with_other_entries_is_wrong) {
    using T = TypeParam;
    auto const wrong = std::numeric_limits<double>::infinity();
    csr<T> const left{2, 2, {0, 1, 2}, {0, 1}, {3, 5}};
    auto const expected = reference::add<T>(1, left, false, 1, left, false);
    auto const error = [&](csr<T> const& computed) { return reference::max_error(computed, expected); };
    EXPECT_EQ(error({2, 2, {0, 1, 2}, {0, 1}, {6, 10}}), 0);
    EXPECT_LE(error({2, 2, {0, 1, 2}, {0, 1}, {6, 10 + 20 * this->eps}}), 1);
    EXPECT_GT(error({2, 2, {0, 1, 2}, {0, 1}, {6, 10 + 40 * this->eps}}), 1);
    EXPECT_EQ(error({2, 2, {0, 1, 2}, {1, 1}, {6, 10}}), wrong);
    EXPECT_EQ(error({2, 2, {0, 2, 2}, {0, 1}, {6, 10}}), wrong);
    EXPECT_EQ(error({2, 3, {0, 1, 2}, {0, 1}, {6, 10}}), wrong);
    EXPECT_EQ(error({2, 2, {0, 1, 1}, {0}, {6}}), wrong);
}

}  // namespace
