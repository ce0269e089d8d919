// Numbers in a Matrix Market text: rounding, special values, numbers too small, and indices eight bytes at a time.
// Numbers that are refused: matrix_market_faults_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <copse/formats/files/matrix_market_numbers.hpp>
#include <copse/formats/matrix_market.hpp>
#include <limits>
#include <string>
#include <vector>

namespace {

template <class T>
class matrix_market_numbers_test : public testing::Test {
  protected:
    static T parse_value(std::string const& word) {
        auto const text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 " + word + "\n";
        return copse::parse_matrix_market<T>(text, "t.mtx").values.at(0);
    }
};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(matrix_market_numbers_test, value_types);

TYPED_TEST(matrix_market_numbers_test, rounds_to_the_nearest_value) {
    using limits = std::numeric_limits<TypeParam>;
    EXPECT_EQ(this->parse_value("0.1"), TypeParam(0.1));
    // Halfway between 1 and the next float, and a little more: by way of double it would become 1.
    EXPECT_EQ(static_cast<float>(this->parse_value("1.000000059604644775390625000000000001")),
              sizeof(TypeParam) == 4 ? 1.00000012f : 1.0f);
    EXPECT_EQ(this->parse_value(sizeof(TypeParam) == 4 ? "1e-45" : "5e-324"), limits::denorm_min());
    EXPECT_EQ(this->parse_value(sizeof(TypeParam) == 4 ? "3.4028235e38" : "1.7976931348623157e308"), limits::max());
}

TYPED_TEST(matrix_market_numbers_test, reads_infinities_and_nan_in_any_case) {
    auto const infinity = std::numeric_limits<TypeParam>::infinity();
    EXPECT_EQ(this->parse_value("inf"), infinity);
    EXPECT_EQ(this->parse_value("+Infinity"), infinity);
    EXPECT_EQ(this->parse_value("-INF"), -infinity);
    EXPECT_TRUE(std::isnan(this->parse_value("NaN")));
    EXPECT_TRUE(std::isnan(this->parse_value("-nan")));
}

TYPED_TEST(matrix_market_numbers_test, takes_numbers_too_small_for_the_type_as_zero) {
    std::string const zeros(500, '0');
    std::vector<std::string> const words{
        "1e-400", "123456e-500", "+1.5E-0400", "9e-99999999999999999999999", "0." + zeros + "1", "0." + zeros + "1e1"};
    for (auto const& word : words) {
        EXPECT_EQ(this->parse_value(word), TypeParam(0)) << word;
        EXPECT_FALSE(std::signbit(this->parse_value(word))) << word;
    }
    EXPECT_EQ(this->parse_value("-1e-400"), TypeParam(0));
    EXPECT_TRUE(std::signbit(this->parse_value("-1e-400")));
    EXPECT_TRUE(std::signbit(this->parse_value("-0")));
}

TYPED_TEST(matrix_market_numbers_test, takes_long_decimals_of_usual_size_as_they_are) {
    std::string const zeros(500, '0');
    EXPECT_EQ(this->parse_value("1" + zeros + "e-500"), TypeParam(1));
    EXPECT_EQ(this->parse_value("0." + zeros + "25e501"), TypeParam(2.5));
    EXPECT_EQ(this->parse_value("0e99999999999999999999"), TypeParam(0));
}

TYPED_TEST(matrix_market_numbers_test, rounds_integers_of_any_length) {
    auto const a = copse::parse_matrix_market<TypeParam>(
        "%%MatrixMarket matrix array integer general\n1 4\n-9223372036854775808\n18446744073709551615\n+12\n"
        "100000000000000000000000000000\n",
        "t.mtx");
    EXPECT_EQ(a.values, (std::vector<TypeParam>{TypeParam(-0x1p63), TypeParam(0x1p64), 12, TypeParam(1e29)}));
}

// Eight bytes are looked at together: every byte that is no digit has to end the number, wherever it stands.
TEST(matrix_market_short_number, ends_at_the_first_byte_that_is_no_digit) {
    for (int length = 0; length < 8; ++length) {
        for (int byte = 0; byte < 256; ++byte) {
            if (byte >= '0' && byte <= '9') continue;
            std::string text = std::string("9081726354").substr(0, 8);
            text[static_cast<std::size_t>(length)] = static_cast<char>(byte);
            auto const number = copse::detail::read_short(text.data(), text.data() + text.size());
            ASSERT_EQ(number.digits, length) << byte;
            ASSERT_EQ(number.value, length == 0 ? 0 : std::stoll(text.substr(0, static_cast<std::size_t>(length))));
        }
    }
    std::string const eight = "12345678", few = "123 567";
    EXPECT_EQ(copse::detail::read_short(eight.data(), eight.data() + 8).digits, 0);
    EXPECT_EQ(copse::detail::read_short(few.data(), few.data() + 7).digits, 0);
}

}  // namespace
