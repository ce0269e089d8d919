#include <copse/runtime/worker.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace copse::tests {
namespace {

template <class T>
class plus_min_max : public testing::Test {};
using floating = testing::Types<float, double>;
TYPED_TEST_SUITE(plus_min_max, floating);

TYPED_TEST(plus_min_max, takes_a_number_rather_than_nan) {
    using T = TypeParam;
    T const nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    for (T none : {nan, -nan})
        for (T number : {T(3), -infinity, infinity, T(-0.0)}) {
            EXPECT_EQ(min_op()(none, number), number);
            EXPECT_EQ(min_op()(number, none), number);
            EXPECT_EQ(max_op()(none, number), number);
            EXPECT_EQ(max_op()(number, none), number);
        }
    EXPECT_TRUE(std::isnan(min_op()(nan, -nan)));
    EXPECT_TRUE(std::isnan(max_op()(-nan, nan)));
}

TYPED_TEST(plus_min_max, takes_minus_zero_for_less_than_zero) {
    using T = TypeParam;
    T const zero = 0, minus_zero = -zero;
    EXPECT_TRUE(std::signbit(min_op()(zero, minus_zero)));
    EXPECT_TRUE(std::signbit(min_op()(minus_zero, zero)));
    EXPECT_FALSE(std::signbit(min_op()(zero, zero)));
    EXPECT_FALSE(std::signbit(max_op()(zero, minus_zero)));
    EXPECT_FALSE(std::signbit(max_op()(minus_zero, zero)));
    EXPECT_TRUE(std::signbit(max_op()(minus_zero, minus_zero)));
}

TYPED_TEST(plus_min_max, has_identities) {
    using T = TypeParam;
    for (T number : {T(3), T(-3), std::numeric_limits<T>::infinity(), T(0), T(-0.0)}) {
        EXPECT_EQ(plus()(number, plus::identity<T>()), number);
        EXPECT_EQ(std::signbit(plus()(number, plus::identity<T>())), std::signbit(number));
        EXPECT_EQ(min_op()(min_op::identity<T>(), number), number);
        EXPECT_EQ(max_op()(max_op::identity<T>(), number), number);
    }
}

TEST(plus_min_max_of_integers, is_as_for_all_numbers) {
    static_assert(min_op()(3, -4) == -4 && max_op()(3, -4) == 3 && plus()(3, -4) == -1);
    static_assert(min_op()(3u, ~0u) == 3u && max_op()(3u, ~0u) == ~0u);
    EXPECT_EQ(min_op::identity<std::int64_t>(), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(max_op::identity<std::int32_t>(), std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(max_op::identity<std::uint32_t>(), 0u);
}

}  // namespace
}  // namespace copse::tests
