// Numbers from the command line: decimal, all of the text, within their range. (CLI11's own reading takes 010 for 8
// and 1e400 for infinity.)
#pragma once

#include <charconv>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace copse::bench::measure {

/// Throws argument_error that names `option` and the range.
inline std::int64_t parse_whole(std::string_view option, std::string_view text, std::int64_t low, std::int64_t high) {
    std::int64_t number = 0;
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size() || number < low || number > high) {
        throw argument_error(std::string(option) + ": '" + std::string(text) + "' is not a whole number from " +
                             std::to_string(low) + " to " + std::to_string(high));
    }
    return number;
}

/// inf and nan are numbers; one that T cannot hold is not. Throws argument_error that names `option`.
template <class T>
T parse_real(std::string_view option, std::string_view text) {
    auto digits = text;
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    T number = 0;
    auto const [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (failure == std::errc::result_out_of_range && end == digits.data() + digits.size()) {
        throw argument_error(std::string(option) + ": '" + std::string(text) + "' is too large or too small for " +
                             (sizeof(T) == 4 ? "float" : "double"));
    }
    if (failure != std::errc{} || end != digits.data() + digits.size())
        throw argument_error(std::string(option) + ": '" + std::string(text) + "' is not a number");
    return number;
}

}  // namespace copse::bench::measure
