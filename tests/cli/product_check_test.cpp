// The check of a product, made block by block, is the reference's in full vectors: of rows with and without entries.
#include "cli/product_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <copse/cpu/reference.hpp>
#include <copse/runtime/error.hpp>
#include <limits>
#include <random>

namespace copse_test {
namespace {

using copse::csr;
using copse::measure::expectation;
using copse::measure::operands;
using copse::measure::product_check;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// 200,000 x 150,000: several blocks either way, some of them and most rows empty, one row with many entries.
template <class T>
csr<T> scattered() {
    std::mt19937 random(5);
    auto const below = [&](std::uint32_t n) { return static_cast<std::int32_t>(random() % n); };
    copse::coo<T> a{200000, 150000, {}, {}, {}};
    auto const add = [&](std::int32_t row, std::int32_t column) {
        a.rows.push_back(row);
        a.columns.push_back(column);
        a.values.push_back(static_cast<T>(below(2000)) / 7 - 100);
    };
    for (int i = 0; i < 3000; ++i) add(below(70000), below(60000));
    for (int i = 0; i < 3000; ++i) add(199999, 140000 + below(10000));
    for (int i = 0; i < 3000; ++i) add(150000 + below(50000), 149999);
    return copse::to_csr(a);
}

template <class T>
operands<T> operands_of(csr<T> const& a, bool transposed, T alpha, T beta) {
    operands<T> v{alpha, std::vector<T>(transposed ? a.row_count : a.column_count), beta,
                  std::vector<T>(transposed ? a.column_count : a.row_count)};
    for (std::size_t i = 0; i < v.x.size(); ++i) v.x[i] = static_cast<T>(i % 13) - T(5.5);
    for (std::size_t i = 0; i < v.y.size(); ++i) v.y[i] = beta == 0 ? T(NAN) : static_cast<T>(i % 11) / 3;
    return v;
}

template <class T>
class product_check_test : public testing::Test {};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(product_check_test, value_types);

TYPED_TEST(product_check_test, is_the_references_in_every_row) {
    using T = TypeParam;
    auto const a = scattered<T>();
    for (bool const transposed : {false, true}) {
        for (auto const& [alpha, beta] : {std::pair<T, T>{2, 0}, {-3, T(0.7)}, {0, 2}, {0, 0}, {T(INFINITY), 0}}) {
            SCOPED_TRACE(testing::Message() << transposed << ' ' << alpha << ' ' << beta);
            auto const v = operands_of<T>(a, transposed, alpha, beta);
            std::span<T const> const x(v.x);
            expectation<T> e{v.y, copse::reference::spmv_error_bound<T>(alpha, a, transposed, x, beta, v.y)};
            copse::reference::spmv<T>(alpha, a, transposed, x, beta, e.y);
            product_check<T> const check(a, transposed, v);
            EXPECT_EQ(check.error(e.y), 0);
            std::size_t const last = e.y.size() - 1;
            for (std::size_t const i : {std::size_t{1}, std::size_t{65536}, std::size_t{140007}, last}) {
                auto wrong = e.y;
                for (T const value : {e.y[i] + 2 * static_cast<T>(e.bound[i]), e.y[i] + T(1), T(NAN)}) {
                    wrong[i] = value;
                    auto const expected = copse::reference::max_error<T>(wrong, e.y, e.bound);
                    auto const error = check.error(wrong);
                    if (std::isinf(expected))
                        EXPECT_EQ(error, infinity) << i << ' ' << value;
                    else
                        EXPECT_NEAR(error, expected, 1e-12 * expected) << i << ' ' << value;
                }
            }
        }
    }
}

TYPED_TEST(product_check_test, finds_a_wrong_row_that_has_no_entries) {
    using T = TypeParam;
    csr<T> const a{3, 2, {0, 1, 1, 2}, {0, 0}, {2, 3}};
    operands<T> const v{1, {1, 1}, 2, {1, 1, 1}};
    product_check<T> const check(a, false, v);
    EXPECT_EQ(check.error(std::vector<T>{4, 2, 5}), 0);
    EXPECT_GT(check.error(std::vector<T>{4, 0, 5}), 1);
    operands<T> const unread{1, {1, 1, 1}, 0, {T(NAN), T(NAN)}};
    product_check<T> const transposed(a, true, unread);
    EXPECT_EQ(transposed.error(std::vector<T>{5, 0}), 0);
    EXPECT_EQ(transposed.error(std::vector<T>{5, T(1e-30)}), infinity);
    EXPECT_EQ(transposed.error(std::vector<T>{5, T(NAN)}), infinity);
}

TYPED_TEST(product_check_test, shapes) {
    using T = TypeParam;
    csr<T> const a{2, 3, {0, 0, 0}, {}, {}};
    operands<T> const v{1, {1, 1, 1}, 0, {0, 0}};
    EXPECT_THROW((product_check<T>(a, true, v)), copse::shape_error);
    EXPECT_THROW((product_check<T>(a, false, v).error(std::vector<T>{0, 0, 0})), copse::shape_error);
    csr<T> const none{0, 0, {0}, {}, {}};
    operands<T> const nothing;
    EXPECT_EQ((product_check<T>(none, false, nothing).error(std::vector<T>{})), 0);
}

}  // namespace
}  // namespace copse_test
