// Lines and words of a Matrix Market text, for its header, its entries and its error messages.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace copse::detail {

/// Parts words within a line. A carriage return counts: that is all there is to reading CRLF files.
inline bool is_blank(char c) noexcept {
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}

inline bool ends_line(char const* p, char const* end) noexcept {
    return p == end || *p == '\n';
}

inline bool ends_word(char const* p, char const* end) noexcept {
    return ends_line(p, end) || is_blank(*p);
}

inline char const* skip_blanks(char const* p, char const* end) noexcept {
    while (p != end && is_blank(*p)) ++p;
    return p;
}

/// The line feed that ends the line of `p`, or `end`.
inline char const* line_end(char const* p, char const* end) noexcept {
    auto const* feed =
        static_cast<char const*>(p == end ? nullptr : std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    return feed ? feed : end;
}

inline std::string_view line_at(char const* p, char const* end) noexcept {
    return {p, static_cast<std::size_t>(line_end(p, end) - p)};
}

/// The line at `p`, which moves to the start of the next one.
inline std::string_view take_line(char const*& p, char const* end) noexcept {
    auto const line = line_at(p, end);
    p += line.size();
    if (p != end) ++p;
    return line;
}

/// The first word of `line`, which loses it; empty when there is none.
inline std::string_view take_word(std::string_view& line) noexcept {
    auto const* const end = line.data() + line.size();
    auto const* const first = skip_blanks(line.data(), end);
    auto const* last = first;
    while (!ends_word(last, end)) ++last;
    line = {last, static_cast<std::size_t>(end - last)};
    return {first, static_cast<std::size_t>(last - first)};
}

inline std::int64_t word_count(std::string_view line) noexcept {
    std::int64_t count = 0;
    while (!take_word(line).empty()) ++count;
    return count;
}

inline std::string lower_case(std::string_view word) {
    std::string result(word);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

/// A word as it can stand in a one-line message: in quotes, not too long, bytes that do not print as \xNN.
inline std::string quoted(std::string_view word) {
    constexpr std::size_t longest = 40;
    constexpr char const* digits = "0123456789abcdef";
    std::string text = "'";
    for (char const c : word.substr(0, longest)) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f) {
            text += c;
        } else {
            text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return text + (word.size() > longest ? "...'" : "'");
}

}  // namespace copse::detail
