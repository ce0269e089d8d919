#include "bench/harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace copse::bench {
namespace {

// 999.6 is 1000 in three digits, and so belongs to the next unit.
constexpr double next_unit = 999.5;

std::string three_digits(double number) {
    int const decimals = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f}", number, decimals);
}

/// What Markdown would read as something else stands behind a backslash.
std::string without_markup(std::string_view cell) {
    std::string result;
    for (char const c : cell) {
        if (std::string_view("\\|*_`<").find(c) != std::string_view::npos) result += '\\';
        result += c;
    }
    return result;
}

std::size_t columns_of(std::string_view text) {
    // Continuation bytes of UTF-8 take no column.
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string with_commas(std::int64_t number) {
    std::string digits = std::to_string(number);
    std::size_t const sign = number < 0 ? 1 : 0;
    for (std::size_t end = digits.size(); end > sign + 3; end -= 3) digits.insert(end - 3, 1, ',');
    return digits;
}

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

std::string table::text(std::string_view indent) const {
    std::vector<std::size_t> widths(alignment_.size(), 0);
    for (auto const& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
    std::string result;
    for (auto const& row : rows_) {
        std::string line(indent);
        for (std::size_t i = 0; i < row.size(); ++i) {
            std::string const padding(widths[i] - columns_of(row[i]), ' ');
            if (i > 0) line.append(2, ' ');
            line += alignment_[i] == 'r' ? padding + row[i] : row[i] + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        result += line + '\n';
    }
    return result;
}

std::string table::markdown() const {
    std::string result;
    auto const add_line = [&](auto const& cell_of) {
        for (std::size_t i = 0; i < alignment_.size(); ++i) result += "| " + cell_of(i) + ' ';
        result += "|\n";
    };
    for (auto const& row : rows_) {
        add_line([&](std::size_t i) { return without_markup(row[i]); });
        if (&row == &rows_.front())
            add_line([&](std::size_t i) { return std::string(alignment_[i] == 'r' ? "--:" : ":--"); });
    }
    return result;
}

}  // namespace copse::bench
