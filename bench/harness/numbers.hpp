// Numbers from the command line: decimal, all of the text, within their range. (CLI11's own reading takes 010 for 8.)
#pragma once

#include <charconv>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace copse::bench {

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

}  // namespace copse::bench
