#include "cli/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <copse/runtime/error.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

namespace copse::cli {
namespace {

std::string three_digits(double number) {
    int const decimals = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f}", number, decimals);
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
    // 999.6 is 1000 in three digits, and so belongs to the next unit.
    for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit) bytes /= 1000;
    return unit == 0 ? fmt::format("{:.0f} B", bytes) : three_digits(bytes) + " " + units[unit];
}

std::string human_seconds(double seconds) {
    if (seconds >= 0.9995) return three_digits(seconds) + " s";
    if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
    return three_digits(seconds * 1e6) + " us";
}

std::string per_entry(std::int64_t bytes, std::int64_t entries) {
    return entries == 0 ? "" : fmt::format("{:.2f}", static_cast<double>(bytes) / static_cast<double>(entries));
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

std::string table::text() const {
    std::vector<std::size_t> widths(alignment_.size(), 0);
    for (auto const& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
    std::string result;
    for (auto const& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            std::string const padding(widths[i] - columns_of(row[i]), ' ');
            line += i > 0 ? "  " : "";
            line += alignment_[i] == 'r' ? padding + row[i] : row[i] + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        result += line + '\n';
    }
    return result;
}

void print(std::string const& text) {
    errno = 0;
    bool const is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!is_written) throw error("cannot write to standard output: " + std::generic_category().message(errno));
}

void print(nlohmann::ordered_json const& object) {
    print(object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

}  // namespace copse::cli
