// The check of a product, made block by block, is the reference's in full vectors: of rows with and without entries. A
// product that reads y, or leaves it alone, is found out.
#include "cli/product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <copse/cpu/reference.hpp>
#include <copse/runtime/cpu.hpp>
#include <limits>
#include <random>
#include <utility>

namespace copse_test {
namespace {

using copse::csr;
using copse::cli::operands;
using copse::cli::product_check;

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
            auto const bound = copse::reference::spmv_error_bound<T>(alpha, a, transposed, x, beta, v.y);
            auto y = v.y;
            copse::reference::spmv<T>(alpha, a, transposed, x, beta, y);
            product_check<T> const check(a, transposed, v);
            EXPECT_EQ(check.error(y), 0);
            std::size_t const last = y.size() - 1;
            for (std::size_t const i : {std::size_t{1}, std::size_t{65536}, std::size_t{140007}, last}) {
                auto wrong = y;
                for (T const value : {y[i] + 2 * static_cast<T>(bound[i]), y[i] + T(1), T(NAN)}) {
                    wrong[i] = value;
                    auto const expected = copse::reference::max_error<T>(wrong, y, bound);
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

TYPED_TEST(product_check_test, an_empty_product_is_right) {
    using T = TypeParam;
    csr<T> const none{0, 0, {0}, {}, {}};
    EXPECT_EQ((product_check<T>(none, false, operands<T>{}).error(std::vector<T>{})), 0);
}

/// The 1 x 1 matrix 2, whose second product does something else.
struct matrix_of_one {
    enum { nothing_else, leaves_y, reads_y } second;
    int mutable runs = 0;
};

void spmv(copse::cpu&, double alpha, matrix_of_one const& a, copse::buffer<double> const& x, double beta,
          copse::buffer<double>& y) {
    bool const is_other = ++a.runs == 2;
    if (is_other && a.second == matrix_of_one::leaves_y) return;
    auto const before = beta == 0 && !(is_other && a.second == matrix_of_one::reads_y) ? 0 : beta * *y.data();
    *y.data() = alpha * 2 * *x.data() + before;
}

/// The record of three runs with x = 3 and y = 5, and y behind them.
std::pair<copse::cli::record, double> run_three_times(matrix_of_one const& a, double beta) {
    copse::cpu executor(1);
    copse::cli::record r;
    csr<double> const rows{1, 1, {0, 1}, {0}, {2}};
    operands<double> const v{1, {3}, beta, {5}};
    auto const y = copse::cli::measure_product(r, executor, a, rows, false, v, 2, false);
    return {r, y[0]};
}

TEST(product, every_run_starts_from_the_same_y) {
    for (auto const& [beta, result] : {std::pair{0., 6.}, {10., 56.}}) {
        auto const [r, y] = run_three_times({matrix_of_one::nothing_else}, beta);
        EXPECT_TRUE(r.is_right());
        EXPECT_EQ(r.repeats, 2);
        EXPECT_EQ(y, result);
    }
}

// A product that does nothing must not pass for what an earlier run left behind.
TEST(product, that_leaves_y_alone_or_reads_it_without_beta_is_found_out) {
    for (auto const second : {matrix_of_one::leaves_y, matrix_of_one::reads_y}) {
        auto const [r, y] = run_three_times({second}, 0);
        EXPECT_FALSE(r.is_right());
        EXPECT_EQ(r.repeats, 1);
    }
}

}  // namespace
}  // namespace copse_test
