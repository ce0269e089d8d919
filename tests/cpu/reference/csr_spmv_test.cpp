// The OpenMP baseline against the reference, over the battery and on 1, 2 and 3 threads.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/products.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/error.hpp>
#include <limits>
#include <span>

namespace {

using copse::csr;
namespace reference = copse::reference;

template <class T>
std::vector<T> random_vector(std::int64_t size, std::uint64_t seed) {
    copse::tests::value_source value(seed);
    std::vector<T> result(size);
    for (T& element : result) element = static_cast<T>(value());
    return result;
}

// The shared small cases, and matrices large enough for every thread to have rows of its own.
std::vector<copse::tests::battery_case> cases() {
    auto result = copse::tests::small_battery();
    for (auto const* const name : {"stencil27:12", "rmat:11,8", "circuit:3000", "lp:100,9000", "dense:90,300"}) {
        result.push_back({name, copse::generate<double>(name)});
    }
    return result;
}

template <class T>
class csr_spmv_test : public testing::Test {
  public:
    static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    static constexpr T infinity = std::numeric_limits<T>::infinity();

    // One product on 1, 2 and 3 threads, held to the arithmetic's bound.
    static void expect_product(csr<T> const& a, T alpha, bool transposed, std::vector<T> const& x, T beta,
                               std::vector<T> const& before) {
        auto expected = before;
        reference::spmv<T>(alpha, a, transposed, x, beta, expected);
        auto const bound = reference::spmv_error_bound<T>(alpha, a, transposed, x, beta, before);
        for (int threads : {1, 2, 3}) {
            auto y = before;
            copse::spmv<T>(threads, alpha, a, transposed, x, beta, y);
            EXPECT_LE(reference::max_error<T>(y, expected, bound), 1)
                << threads << " threads" << (transposed ? ", transposed" : "") << ", alpha " << alpha << ", beta "
                << beta;
        }
    }
};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(csr_spmv_test, value_types);

TYPED_TEST(csr_spmv_test, an_alpha_that_is_not_finite_meets_whole_sums) {
    using T = TypeParam;
    using namespace copse::tests;
    copse::cpu host(1);
    auto const all = [](copse::buffer<T> const& v) {
        return std::span<T>(v.data(), static_cast<std::size_t>(v.size()));
    };
    for (battery_case const& c : whole_number_battery())
        for (product_case const& p : all_factors().not_finite) {
            auto const a = to_csr(with_values_of<T>(c.matrix));
            expected_product<T> const expected(a, {p.transposed, p.alpha * p.scale, p.beta},
                                               special_values::whole_numbers);
            for (int threads : {1, 3})
                expected.check(
                    host,
                    [&](T alpha, copse::buffer<T> const& x, T beta, copse::buffer<T> const& y) {
                        copse::spmv<T>(threads, alpha, a, p.transposed, all(x), beta, all(y));
                    },
                    c.name);
        }
}

TYPED_TEST(csr_spmv_test, agrees_with_the_reference) {
    using T = TypeParam;
    struct coefficients {
        T alpha, beta;
    };
    for (auto const& c : cases()) {
        SCOPED_TRACE(c.name);
        auto const a = copse::to_csr(copse::tests::with_values_of<T>(c.matrix));
        for (bool const transposed : {false, true}) {
            auto const x = random_vector<T>(transposed ? a.row_count : a.column_count, 1);
            auto const y = random_vector<T>(transposed ? a.column_count : a.row_count, 2);
            std::vector<T> const unread(y.size(), this->nan);
            for (auto const& [alpha, beta] : {coefficients{1, 0}, {-3, 0}, {2, -0.5}, {0, 2}}) {
                this->expect_product(a, alpha, transposed, x, beta, beta == 0 ? unread : y);
            }
        }
    }
}

TYPED_TEST(csr_spmv_test, by_hand) {
    using T = TypeParam;
    // [ 1 0 2 ]
    // [ 0 0 3 ]
    csr<T> const a{2, 3, {0, 2, 3}, {0, 2, 2}, {1, 2, 3}};
    std::vector<T> y{1, 1};
    copse::spmv<T>(2, 2, a, false, std::vector<T>{1, 10, 100}, 5, y);
    EXPECT_EQ(y, (std::vector<T>{407, 605}));
    std::vector<T> z{1, 1, 1};
    copse::spmv<T>(2, 2, a, true, std::vector<T>{1, 10}, 5, z);
    EXPECT_EQ(z, (std::vector<T>{7, 5, 69}));
}

TYPED_TEST(csr_spmv_test, alpha_zero_reads_neither_a_nor_x) {
    using T = TypeParam;
    csr<T> const a{2, 2, {0, 1, 2}, {0, 1}, {this->nan, this->infinity}};
    std::vector<T> const x{this->infinity, this->nan};
    for (bool const transposed : {false, true}) {
        std::vector<T> y{1, 2};
        copse::spmv<T>(2, 0, a, transposed, x, 3, y);
        EXPECT_EQ(y, (std::vector<T>{3, 6}));
        y = {this->nan, this->nan};
        copse::spmv<T>(2, 0, a, transposed, x, 0, y);
        EXPECT_EQ(y, (std::vector<T>{0, 0}));
    }
}

TYPED_TEST(csr_spmv_test, nan_and_infinity_travel_along_entries_only) {
    using T = TypeParam;
    for (auto const& c : copse::tests::small_battery()) {
        SCOPED_TRACE(c.name);
        auto const a = copse::to_csr(copse::tests::with_values_of<T>(c.matrix));
        for (bool const transposed : {false, true}) {
            auto x = random_vector<T>(transposed ? a.row_count : a.column_count, 3);
            for (std::size_t i = 2; i < x.size(); i += 37) x[i] = this->nan;
            for (std::size_t i = 5; i < x.size(); i += 41) x[i] = -this->infinity;
            std::vector<T> const before(transposed ? a.column_count : a.row_count, this->nan);
            this->expect_product(a, 2, transposed, x, 0, before);
        }
    }
}

TYPED_TEST(csr_spmv_test, one_number_of_threads_gives_the_same_bits) {
    using T = TypeParam;
    auto const a = copse::to_csr(copse::tests::with_values_of<T>(copse::tests::scattered(3000, 2000, 50000, 8)));
    auto const x = random_vector<T>(3000, 4);
    std::vector<T> first(2000), second(2000);
    copse::spmv<T>(3, 1, a, true, x, 0, first);
    copse::spmv<T>(3, 1, a, true, x, 0, second);
    EXPECT_EQ(first, second);
}

TYPED_TEST(csr_spmv_test, errors_leave_y_alone) {
    using T = TypeParam;
    csr<T> const a{2, 3, {0, 1, 2}, {0, 2}, {1, 1}};
    std::vector<T> const x2(2, 1), x3(3, 1);
    std::vector<T> y2(2, 7), y3(3, 7);
    EXPECT_THROW(copse::spmv<T>(1, 1, a, false, x2, 0, y2), copse::shape_error);
    EXPECT_THROW(copse::spmv<T>(1, 1, a, false, x3, 0, y3), copse::shape_error);
    EXPECT_THROW(copse::spmv<T>(1, 1, a, true, x3, 0, y3), copse::shape_error);
    EXPECT_THROW(copse::spmv<T>(1, 1, a, true, x2, 0, y2), copse::shape_error);
    EXPECT_THROW(copse::spmv<T>(0, 1, a, false, x3, 0, y2), copse::argument_error);
    EXPECT_EQ(y2, (std::vector<T>(2, 7)));
    EXPECT_EQ(y3, (std::vector<T>(3, 7)));
}

}  // namespace
