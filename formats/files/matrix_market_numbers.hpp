// Numbers of a Matrix Market text. Each function reads one word at `p`, moves `p` behind it where it was good, and
// says what it found; none throws, so they can be called from parallel loops.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <copse/formats/files/matrix_market_words.hpp>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

namespace copse::detail {

enum class number_word : std::uint8_t { good, missing, malformed, out_of_range };

inline bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

/// The number of at most seven digits that starts at `p`; 0 digits where there is none, or where fewer than eight bytes
/// are left. All eight bytes at once, because the length of an index is a coin toss to the branch predictor: pattern
/// entries are read at 590 MB/s on a 2.5 GHz Xeon core, with from_chars, which branches on every digit, at 280 MB/s.
struct short_number {
    std::int64_t value = 0;
    int digits = 0;
};

inline short_number read_short(char const* p, char const* end) noexcept {
    static_assert(std::endian::native == std::endian::little, "the first digit has to be the lowest byte");
    if (end - p < 8) return {};
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, sizeof bytes);
    bytes ^= 0x3030303030303030;  // '0' .. '9' become 0 .. 9, and no other byte does
    // A byte above 9 sets its top bit; what it carries reaches later bytes only, and the first one is asked for.
    auto const others = ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
    auto const digits = std::countr_zero(others) / 8;
    if (digits == 0 || others == 0) return {};
    bytes <<= 64 - 8 * digits;  // zeros in front, and what followed the digits is gone
    bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ff;
    bytes = (bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffff;
    bytes = (bytes * 10000 + (bytes >> 32)) & 0xffffffff;
    return {static_cast<std::int64_t>(bytes), digits};
}

/// A whole number, no plus sign.
inline number_word read_whole(char const*& p, char const* end, std::int64_t& value) noexcept {
    p = skip_blanks(p, end);
    if (auto const number = read_short(p, end); number.digits > 0 && ends_word(p + number.digits, end)) {
        value = number.value;
        p += number.digits;
        return number_word::good;
    }
    if (ends_line(p, end)) return number_word::missing;
    auto const [next, status] = std::from_chars(p, end, value);
    if (status == std::errc::invalid_argument || !ends_word(next, end)) return number_word::malformed;
    if (status == std::errc::result_out_of_range) return number_word::out_of_range;
    p = next;
    return number_word::good;
}

/// Whether the decimal number at `p`, known to fit no finite non-zero T, is too small rather than too large:
/// whether its first digit other than 0 stands at a negative power of ten.
inline bool is_tiny(char const* p, char const* end) noexcept {
    std::int64_t power = -1;
    bool in_fraction = false;
    bool leading = true;
    for (; p != end && (is_digit(*p) || *p == '.' || *p == '-'); ++p) {
        if (*p == '-') continue;
        if (*p == '.') {
            in_fraction = true;
        } else {
            leading = leading && *p == '0';
            if (in_fraction && leading) --power;
            if (!in_fraction && !leading) ++power;
        }
    }
    if (p == end || (*p != 'e' && *p != 'E')) return power < 0;
    ++p;
    bool const below = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) ++p;
    constexpr std::int64_t beyond_any_text = std::int64_t{1} << 62;
    std::int64_t exponent = 0;
    if (std::from_chars(p, end, exponent).ec != std::errc{}) exponent = beyond_any_text;
    exponent = std::min(exponent, beyond_any_text);
    return (below ? power - exponent : power + exponent) < 0;
}

/// A decimal number, inf or nan, rounded to the nearest T; with a sign or none. Numbers below the smallest T are 0.
/// from_chars reads entries with values of 17 digits at 520 MB/s: a path of our own for short decimals is not worth it.
template <class T>
number_word read_real(char const*& p, char const* end, T& value) noexcept {
    p = skip_blanks(p, end);
    if (ends_line(p, end)) return number_word::missing;
    auto const* first = p;
    if (*first == '+' && first + 1 != end && first[1] != '-') ++first;
    auto const [next, status] = std::from_chars(first, end, value);
    if (status == std::errc::invalid_argument || !ends_word(next, end)) return number_word::malformed;
    if (status == std::errc::result_out_of_range) {
        if (!is_tiny(first, next)) return number_word::out_of_range;
        value = *first == '-' ? -T(0) : T(0);
    }
    p = next;
    return number_word::good;
}

/// Digits with a sign or none, as many as there are, rounded to the nearest T.
template <class T>
number_word read_integer(char const*& p, char const* end, T& value) noexcept {
    p = skip_blanks(p, end);
    auto const* digit = p;
    if (digit != end && (*digit == '+' || *digit == '-')) ++digit;
    while (digit != end && is_digit(*digit)) ++digit;
    if (!ends_word(digit, end)) return number_word::malformed;
    return read_real(p, end, value);
}

/// Whether `word` is a whole number that is written as a real one: "2.0", "1e+16", "120e-1".
inline bool is_whole_real(std::string_view word) noexcept {
    double value = 0;
    auto const* p = word.data();
    auto const* const end = p + word.size();
    auto const found = read_real(p, end, value);
    if (found == number_word::missing || found == number_word::malformed || word.find_first_of("nN") != word.npos) {
        return false;  // inf and nan have an n
    }
    auto const mantissa = word.substr(0, word.find_first_of("eE"));
    auto const last = mantissa.find_last_of("123456789");
    if (last == mantissa.npos) return true;
    auto const point = std::min(mantissa.find('.'), mantissa.size());
    // The power of ten of the last digit that is not 0.
    auto const power = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(last) - (last < point ? 1 : 0);
    if (mantissa.size() < word.size()) {
        auto const* digits = word.data() + mantissa.size() + 1;
        if (*digits == '+') ++digits;
        std::int64_t exponent = 0;
        if (std::from_chars(digits, end, exponent).ec != std::errc{}) return *digits != '-';
        return exponent >= -power;
    }
    return power >= 0;
}

}  // namespace copse::detail
