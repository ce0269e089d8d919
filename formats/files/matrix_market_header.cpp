// The banner and the size line of a Matrix Market text.
#include <fmt/format.h>

#include <copse/formats/files/matrix_market_header.hpp>
#include <copse/formats/files/matrix_market_numbers.hpp>
#include <copse/formats/files/matrix_market_words.hpp>
#include <copse/runtime/error.hpp>
#include <limits>

namespace copse::detail {
namespace {

using layout = matrix_market_layout;
using field = matrix_market_field;
using symmetry = matrix_symmetry;

constexpr std::int64_t dimension_limit = std::int64_t{1} << 31;

[[noreturn]] void throw_wrong_word(std::string const& name, std::string const& word, std::string const& expected) {
    throw format_error(name, 1,
                       fmt::format("the banner says {} where {} belongs; its words stand in this order: "
                                   "'%%MatrixMarket matrix coordinate real general'",
                                   quoted(word), expected));
}

layout layout_named(std::string const& word, std::string const& name) {
    if (word == "coordinate") return layout::coordinate;
    if (word == "array") return layout::array;
    throw_wrong_word(name, word, "coordinate or array");
}

field field_named(std::string const& word, std::string const& name) {
    if (word == "real") return field::real;
    if (word == "integer") return field::integer;
    if (word == "pattern") return field::pattern;
    if (word == "complex") {
        throw format_error(name, 1,
                           "complex matrices are not supported yet; real, integer and pattern are: write the real and "
                           "the imaginary part to a file each");
    }
    throw_wrong_word(name, word, "real, integer or pattern");
}

symmetry symmetry_named(std::string const& word, std::string const& name) {
    if (word == "general") return symmetry::general;
    if (word == "symmetric") return symmetry::symmetric;
    if (word == "skew-symmetric") return symmetry::skew;
    if (word == "hermitian") {
        throw format_error(name, 1, "hermitian goes with complex matrices only; a real one is called symmetric");
    }
    throw_wrong_word(name, word, "general, symmetric or skew-symmetric");
}

void check_words_agree(matrix_market_header const& header, std::string const& name) {
    if (header.field != field::pattern) return;
    if (header.layout == layout::array) {
        throw format_error(name, 1, "an array has values: pattern goes with coordinate only");
    }
    if (header.symmetry == symmetry::skew) {
        throw format_error(name, 1, "a pattern has no signs: it is general or symmetric, not skew-symmetric");
    }
}

std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    return text;
}

void read_banner(std::string_view line, std::string const& name, matrix_market_header& header) {
    line = without_byte_order_mark(line);
    std::string words[5];
    for (auto& word : words) word = lower_case(take_word(line));
    if (word_count(line) > 0 && line[line.find_first_not_of(" \t")] == '\r') {
        throw format_error(name, 1,
                           fmt::format("the lines end in carriage returns alone, as on old Macs; convert them: "
                                       "tr '\\r' '\\n' < '{}' > matrix.mtx",
                                       name));
    }
    if (!words[1].empty() && words[1] != "matrix") {
        throw format_error(
            name, 1,
            fmt::format("the banner says {}; only matrix is known (a vector is a matrix of one column, a "
                        "graph a matrix of its edges)",
                        quoted(words[1])));
    }
    if (words[4].empty() || word_count(line) > 0) {
        throw format_error(name, 1, "a banner has five words, as in '%%MatrixMarket matrix coordinate real general'");
    }
    header.layout = layout_named(words[2], name);
    header.field = field_named(words[3], name);
    header.symmetry = symmetry_named(words[4], name);
    check_words_agree(header, name);
}

/// One number of the size line, from 0 to `limit`; `p` moves behind it.
std::int64_t read_size(char const*& p, char const* end, std::int64_t limit, std::string const& name,
                       std::int64_t line_number) {
    std::string_view rest(p, static_cast<std::size_t>(end - p));
    auto const word = take_word(rest);
    std::int64_t value = 0;
    auto const found = read_whole(p, end, value);
    if (found == number_word::good && value >= 0 && value <= limit) return value;
    if (found == number_word::malformed) {
        throw format_error(name, line_number,
                           fmt::format("the size line has {} where a whole number belongs{}", quoted(word),
                                       is_whole_real(word) ? ": write its digits alone"
                                                           : "; the first line that is no comment gives the sizes"));
    }
    throw format_error(name, line_number,
                       fmt::format("the size line has {}; it must be from 0 to {}", quoted(word), limit));
}

/// How many values an array file lists; its size line gives the shape only.
std::int64_t array_length(matrix_market_header const& header) {
    auto const n = header.row_count;
    if (header.symmetry == symmetry::symmetric) return n * (n + 1) / 2;
    if (header.symmetry == symmetry::skew) return n * (n - 1) / 2;
    return n * header.column_count;
}

void read_size_line(std::string_view line, std::string const& name, matrix_market_header& header) {
    bool const is_array = header.layout == layout::array;
    auto const number = header.size_line;
    if (word_count(line) != (is_array ? 2 : 3)) {
        throw format_error(name, number,
                           fmt::format("the size line has to be '{}'; it has {} words{}",
                                       is_array ? "rows columns" : "rows columns entries", word_count(line),
                                       is_array ? "" : ": is it missing above the first entry?"));
    }
    auto const* p = line.data();
    auto const* const end = p + line.size();
    header.row_count = read_size(p, end, dimension_limit, name, number);
    header.column_count = read_size(p, end, dimension_limit, name, number);
    if (header.symmetry != symmetry::general && header.row_count != header.column_count) {
        throw format_error(name, number,
                           fmt::format("{} rows and {} columns: a symmetric or skew-symmetric matrix is square",
                                       header.row_count, header.column_count));
    }
    header.stored_count =
        is_array ? array_length(header) : read_size(p, end, std::numeric_limits<std::int64_t>::max(), name, number);
}

}  // namespace

void check_is_matrix_market(std::string_view text, std::string const& name) {
    auto const rest = without_byte_order_mark(text);
    auto line = rest.substr(0, std::size_t{1} << 16);  // without blanks, a word is as long as the file
    if (lower_case(take_word(line)) != "%%matrixmarket") throw format_error(name, 1, describe_foreign_file(rest, name));
}

matrix_market_header parse_matrix_market_header(std::string_view text, std::string const& name) {
    matrix_market_header header;
    auto const* p = text.data();
    auto const* const end = p + text.size();
    check_is_matrix_market(text, name);
    read_banner(take_line(p, end), name, header);
    std::int64_t number = 1;
    while (p != end) {
        auto const line = take_line(p, end);
        ++number;
        auto const* const first = skip_blanks(line.data(), line.data() + line.size());
        if (first == line.data() + line.size() || *first == '%') continue;
        header.size_line = number;
        read_size_line(line, name, header);
        header.header_bytes = static_cast<std::size_t>(p - text.data());
        return header;
    }
    throw format_error(name, number, "the file ends before its size line, which gives rows and columns");
}

}  // namespace copse::detail
