// The OpenMP addition against maps of coordinates and against the reference, on 1, 2 and 3 threads.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algorithm>
#include <copse/cpu/reference.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/error.hpp>
#include <limits>
#include <map>
#include <utility>

namespace {

using copse::csr;
using copse::tests::expect_equal;
namespace reference = copse::reference;

template <class T>
using cells = std::map<std::pair<std::int64_t, std::int64_t>, T>;

template <class T>
csr<T> matrix(std::int64_t rows, std::int64_t columns, cells<T> const& entries) {
    copse::coo<T> a{rows, columns, {}, {}, {}};
    for (auto const& [place, value] : entries) {
        a.rows.push_back(static_cast<std::int32_t>(place.first));
        a.columns.push_back(static_cast<std::int32_t>(place.second));
        a.values.push_back(value);
    }
    return copse::to_csr(a);
}

template <class T>
void add_to(cells<T>& result, T factor, csr<T> const& a, bool transposed) {
    auto const entries = copse::to_coo(a);
    for (std::int64_t k = 0; k < entries.entry_count(); ++k) {
        std::pair<std::int64_t, std::int64_t> place{entries.rows[k], entries.columns[k]};
        if (transposed) std::swap(place.first, place.second);
        result[place] += factor * entries.values[k];
    }
}

// Whole numbers, so that every sum is exact.
template <class T>
csr<T> whole_numbers(copse::coo<double> const& from) {
    auto a = copse::to_csr(copse::tests::with_values_of<T>(from));
    for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = static_cast<T>(static_cast<int>(k % 31) - 15);
    return a;
}

template <class T>
class csr_add_test : public testing::Test {
  public:
    // Against a map of coordinates, in all four combinations that have one shape.
    static void expect_sums(csr<T> const& a, csr<T> const& b) {
        for (int const both : {0, 1, 2, 3}) {
            bool const ta = both & 1;
            bool const tb = both & 2;
            auto const m = ta ? a.column_count : a.row_count;
            auto const n = ta ? a.row_count : a.column_count;
            if (m != (tb ? b.column_count : b.row_count) || n != (tb ? b.row_count : b.column_count)) continue;
            cells<T> expected;
            add_to<T>(expected, 2, a, ta);
            add_to<T>(expected, -3, b, tb);
            csr<T> const wanted = matrix(m, n, expected);
            for (int threads : {1, 2, 3}) {
                SCOPED_TRACE(testing::Message()
                             << threads << " threads" << (ta ? ", A^T" : ", A") << (tb ? " + B^T" : " + B"));
                auto const c = copse::add<T>(threads, 2, a, ta, -3, b, tb);
                copse::check(c);
                expect_equal(c, wanted);
            }
        }
    }
};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(csr_add_test, value_types);

TYPED_TEST(csr_add_test, by_hand) {
    using T = TypeParam;
    // [ 1 0 2 ]   [ 0 5 1 ]
    // [ 0 0 3 ]   [ 0 0 4 ]
    csr<T> const a{2, 3, {0, 2, 3}, {0, 2, 2}, {1, 2, 3}};
    csr<T> const b{2, 3, {0, 2, 3}, {1, 2, 2}, {5, 1, 4}};
    expect_equal(copse::add<T>(2, 2, a, false, 10, b, false), {2, 3, {0, 3, 4}, {0, 1, 2, 2}, {2, 50, 14, 46}});
    expect_equal(copse::add<T>(2, 2, a, true, 10, b, true), {3, 2, {0, 1, 2, 4}, {0, 0, 0, 1}, {2, 50, 14, 46}});
    csr<T> const t{3, 2, {0, 1, 1, 2}, {1, 0}, {7, 8}};
    expect_equal(copse::add<T>(2, 1, a, false, 1, t, true), {2, 3, {0, 2, 4}, {0, 2, 0, 2}, {1, 10, 7, 3}});
    expect_equal(copse::add<T>(2, 1, t, true, 1, a, false), {2, 3, {0, 2, 4}, {0, 2, 0, 2}, {1, 10, 7, 3}});
}

TYPED_TEST(csr_add_test, the_battery_with_itself_and_with_the_next_of_its_shape) {
    using T = TypeParam;
    auto const cases = copse::tests::small_battery();
    for (std::size_t k = 0; k < cases.size(); ++k) {
        SCOPED_TRACE(cases[k].name);
        auto const a = whole_numbers<T>(cases[k].matrix);
        this->expect_sums(a, a);
        auto const other =
            std::find_if(cases.begin() + static_cast<std::ptrdiff_t>(k) + 1, cases.end(), [&](auto const& c) {
                return c.matrix.row_count == a.row_count && c.matrix.column_count == a.column_count;
            });
        if (other != cases.end()) this->expect_sums(a, whole_numbers<T>(other->matrix));
    }
}

TYPED_TEST(csr_add_test, random_matrices_of_both_shapes) {
    using T = TypeParam;
    for (std::uint64_t seed = 1; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        auto const rows = static_cast<std::int64_t>(1 + seed * seed % 37);
        auto const columns = static_cast<std::int64_t>(1 + seed * 7 % 41);
        auto const draw = [&](std::int64_t m, std::int64_t n, std::uint64_t stream) {
            auto const count = static_cast<std::int64_t>(seed * stream % 97) * m * n / 60;
            return whole_numbers<T>(copse::tests::scattered(m, n, count, 100 * seed + stream));
        };
        this->expect_sums(draw(rows, columns, 3), draw(rows, columns, 5));
        this->expect_sums(draw(rows, columns, 3), draw(columns, rows, 11));
        this->expect_sums(draw(rows, rows, 2), draw(rows, rows, 13));
    }
}

TYPED_TEST(csr_add_test, one_row_and_one_column) {
    using T = TypeParam;
    csr<T> const row{1, 5, {0, 3}, {0, 2, 4}, {1, 2, 3}};
    csr<T> const column{5, 1, {0, 0, 1, 2, 3, 3}, {0, 0, 0}, {4, 5, 6}};
    this->expect_sums(row, row);
    this->expect_sums(column, column);
    this->expect_sums(row, column);
}

TYPED_TEST(csr_add_test, disjoint_patterns_are_put_together) {
    using T = TypeParam;
    csr<T> const a{2, 4, {0, 2, 2}, {0, 2}, {1, 2}};
    csr<T> const b{2, 4, {0, 2, 4}, {1, 3, 0, 3}, {3, 4, 5, 6}};
    this->expect_sums(a, b);
    EXPECT_EQ(copse::add<T>(1, 1, a, false, 1, b, false).entry_count(), 6);
}

TYPED_TEST(csr_add_test, what_cancels_stays_as_zeros) {
    using T = TypeParam;
    auto const a = copse::to_csr(copse::generate<T>("poisson2d:20"));
    auto const c = copse::add<T>(2, 1, a, false, -1, a, true);  // symmetric
    EXPECT_EQ(c.row_offsets, a.row_offsets);
    EXPECT_EQ(c.column_indices, a.column_indices);
    EXPECT_EQ(c.values, std::vector<T>(a.values.size(), 0));
}

TYPED_TEST(csr_add_test, a_factor_of_zero_keeps_the_pattern) {
    using T = TypeParam;
    csr<T> const a{1, 3, {0, 2}, {0, 1}, {5, 6}};
    csr<T> const b{1, 3, {0, 2}, {1, 2}, {7, 8}};
    expect_equal(copse::add<T>(1, 0, a, false, 2, b, false), {1, 3, {0, 3}, {0, 1, 2}, {0, 14, 16}});
    expect_equal(copse::add<T>(1, 1, a, false, 0, b, false), {1, 3, {0, 3}, {0, 1, 2}, {5, 6, 0}});
}

TYPED_TEST(csr_add_test, nan_and_infinity_stay_where_they_are) {
    using T = TypeParam;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    constexpr T infinity = std::numeric_limits<T>::infinity();
    csr<T> const a{1, 4, {0, 3}, {0, 1, 2}, {nan, infinity, 1}};
    csr<T> const b{1, 4, {0, 3}, {1, 2, 3}, {1, 1, -infinity}};
    auto const c = copse::add<T>(1, 2, a, false, 3, b, false);
    EXPECT_TRUE(std::isnan(c.values[0]));
    EXPECT_EQ(std::vector<T>(c.values.begin() + 1, c.values.end()), (std::vector<T>{infinity, 5, -infinity}));
}

TYPED_TEST(csr_add_test, large_matrices_agree_with_the_reference) {
    using T = TypeParam;
    for (std::string const name : {"stencil27:20", "rmat:12,8", "circuit:20000"}) {
        SCOPED_TRACE(name);
        auto a = copse::to_csr(copse::generate<T>(name));
        auto b = copse::to_csr(copse::generate<T>("moved:10,1," + name));
        copse::tests::value_source value(1);
        for (T& v : a.values) v = static_cast<T>(value());
        for (T& v : b.values) v = static_cast<T>(value());
        for (bool const ta : {false, true}) {
            for (bool const tb : {false, true}) {
                T const alpha = static_cast<T>(0.7);
                T const beta = static_cast<T>(-1.3);
                auto const expected = reference::add<T>(alpha, a, ta, beta, b, tb);
                for (int threads : {1, 2, 3})
                    EXPECT_LE(reference::max_error(copse::add<T>(threads, alpha, a, ta, beta, b, tb), expected), 1);
            }
        }
    }
}

template <class Work>
std::string shape_message(Work const& work) {
    try {
        work();
    } catch (copse::shape_error const& e) {
        return e.what();
    }
    return "no error";
}

TYPED_TEST(csr_add_test, errors_name_shapes_and_threads) {
    using T = TypeParam;
    csr<T> const a{2, 3, {0, 1, 1}, {0}, {1}};
    csr<T> const b{3, 3, {0, 0, 0, 0}, {}, {}};
    EXPECT_EQ(shape_message([&] { copse::add<T>(1, 1, a, false, 1, a, true); }),
              "A is 2 x 3, the transpose of B is 3 x 2: only matrices of one shape can be added");
    EXPECT_THROW(copse::add<T>(1, 1, a, false, 1, b, false), copse::shape_error);
    EXPECT_THROW(copse::add<T>(1, 1, a, true, 1, b, false), copse::shape_error);
    EXPECT_THROW(copse::add<T>(0, 1, a, false, 1, a, false), copse::argument_error);
}

}  // namespace
