#include "bench/harness/text.hpp"

#include <fmt/format.h>

#include <array>

namespace copse::bench {
namespace {

// 999.6 is 1000 in three digits, and so belongs to the next unit.
constexpr double next_unit = 999.5;

std::string three_digits(double number) {
    int const decimals = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f}", number, decimals);
}

}  // namespace

std::string human_bytes(double bytes) {
    constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    std::size_t unit = 0;
    for (; bytes >= next_unit && unit + 1 < units.size(); ++unit) bytes /= 1000;
    return unit == 0 ? fmt::format("{:.0f} B", bytes) : three_digits(bytes) + " " + units[unit];
}

std::string human_seconds(double seconds) {
    if (seconds >= 0.9995) return three_digits(seconds) + " s";
    if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
    return three_digits(seconds * 1e6) + " us";
}

std::string one_line(std::string_view text) {
    std::string line;
    for (char const c : text) {
        bool const is_control = (c >= 0 && c < ' ') || c == '\x7f';
        if (!is_control)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}

}  // namespace copse::bench
