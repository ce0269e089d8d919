// The entry section of a Matrix Market text: see matrix_market_entries.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <copse/formats/files/matrix_market_entries.hpp>
#include <copse/formats/files/matrix_market_numbers.hpp>
#include <copse/formats/files/matrix_market_words.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstdint>
#include <functional>
#include <iterator>

namespace copse::detail {
namespace {

using layout = matrix_market_layout;
using field = matrix_market_field;
using symmetry = matrix_symmetry;

/// The first byte of the next entry at or behind `p`: comments and blank lines are passed over. `end` when there is
/// none.
char const* next_entry(char const* p, char const* end) noexcept {
    for (;;) {
        p = skip_blanks(p, end);
        if (p == end) return end;
        if (*p == '%') p = line_end(p, end);
        if (p == end) return end;
        if (*p != '\n') return p;
        ++p;
    }
}

std::int64_t count_entries(std::string_view text) noexcept {
    auto const* const end = text.data() + text.size();
    std::int64_t count = 0;
    for (auto const* p = next_entry(text.data(), end); p != end; p = next_entry(line_end(p, end), end)) ++count;
    return count;
}

template <class T>
struct parsed_entry {
    std::int64_t row = 0;  // from 1, as in the file
    std::int64_t column = 0;
    T value{};
};

/// One index of an entry; `malformed` and `outside` are the faults to report.
entry_fault read_index(char const*& p, char const* end, std::int64_t count, std::int64_t& index, entry_fault malformed,
                       entry_fault outside) noexcept {
    auto const found = read_whole(p, end, index);
    if (found == number_word::missing) return entry_fault::missing_word;
    if (found == number_word::malformed) return malformed;
    return found == number_word::out_of_range || index < 1 || index > count ? outside : entry_fault::none;
}

template <class T>
entry_fault read_value(char const*& p, char const* end, field kind, T& value) noexcept {
    if (kind == field::pattern) {
        value = T(1);
        return entry_fault::none;
    }
    auto const found = kind == field::real ? read_real(p, end, value) : read_integer(p, end, value);
    if (found == number_word::missing) return entry_fault::missing_word;
    if (found == number_word::malformed) return entry_fault::malformed_value;
    return found == number_word::out_of_range ? entry_fault::value_too_large : entry_fault::none;
}

/// The entry at `p`, which moves to the end of its line when all is well. An array entry keeps its row and column.
template <class T>
entry_fault read_entry(char const*& p, char const* end, matrix_market_header const& header,
                       parsed_entry<T>& e) noexcept {
    auto fault = entry_fault::none;
    if (header.layout == layout::coordinate) {
        fault = read_index(p, end, header.row_count, e.row, entry_fault::malformed_row, entry_fault::row_outside);
        if (fault != entry_fault::none) return fault;
        fault = read_index(p, end, header.column_count, e.column, entry_fault::malformed_column,
                           entry_fault::column_outside);
        if (fault != entry_fault::none) return fault;
    }
    fault = read_value(p, end, header.field, e.value);
    if (fault != entry_fault::none) return fault;
    p = skip_blanks(p, end);
    if (!ends_line(p, end)) return entry_fault::extra_word;
    bool const is_wrong = e.row == e.column && header.symmetry == symmetry::skew && e.value != 0;
    return is_wrong ? entry_fault::on_skew_diagonal : entry_fault::none;
}

/// The first row, from 1, that column `column` of an array file lists.
std::int64_t array_first_row(symmetry kind, std::int64_t column) noexcept {
    if (kind == symmetry::general) return 1;
    return kind == symmetry::symmetric ? column : column + 1;
}

/// How many values of an array file stand before column `column` (from 1).
std::int64_t array_column_start(matrix_market_header const& header, std::int64_t column) noexcept {
    auto const before = column - 1;
    auto const full = before * header.row_count;
    if (header.symmetry == symmetry::general) return full;
    auto const left_out =
        header.symmetry == symmetry::symmetric ? before * (before - 1) / 2 : before * (before + 1) / 2;
    return full - left_out;
}

/// Where the value number `index` of an array file stands. By bisection over columns: exact where a root is not.
template <class T>
parsed_entry<T> array_position(matrix_market_header const& header, std::int64_t index) noexcept {
    std::int64_t first = 1;
    auto last = header.column_count;
    while (first < last) {
        auto const middle = first + (last - first + 1) / 2;
        if (array_column_start(header, middle) <= index) {
            first = middle;
        } else {
            last = middle - 1;
        }
    }
    return {array_first_row(header.symmetry, first) + index - array_column_start(header, first), first, T{}};
}

template <class T>
void next_array_position(matrix_market_header const& header, parsed_entry<T>& e) noexcept {
    if (++e.row <= header.row_count) return;
    ++e.column;
    e.row = array_first_row(header.symmetry, e.column);
}

template <class T>
void read_chunk(entry_chunk& chunk, matrix_market_header const& header, coo<T>& a) noexcept {
    auto const* const end = chunk.text.data() + chunk.text.size();
    auto const* p = chunk.text.data();
    auto const last = std::min(chunk.first_entry + chunk.entry_count, a.entry_count());
    if (chunk.first_entry >= last) return;
    bool const is_array = header.layout == layout::array;
    bool const is_mirrored = header.symmetry != symmetry::general;
    auto e = is_array ? array_position<T>(header, chunk.first_entry) : parsed_entry<T>{};
    for (auto k = static_cast<std::size_t>(chunk.first_entry); k < static_cast<std::size_t>(last); ++k) {
        auto const* const start = p = next_entry(p, end);
        chunk.fault = read_entry(p, end, header, e);
        if (chunk.fault != entry_fault::none) {
            chunk.fault_at = start;
            return;
        }
        a.rows[k] = static_cast<std::int32_t>(e.row - 1);
        a.columns[k] = static_cast<std::int32_t>(e.column - 1);
        a.values[k] = e.value;
        if (is_mirrored && e.row != e.column) {
            auto const*& side = e.row > e.column ? chunk.first_below : chunk.first_above;
            if (!side) side = start;
        }
        if (is_array) next_array_position(header, e);
    }
}

std::string expected_words(matrix_market_header const& header) {
    if (header.layout == layout::array) return "one value";
    return header.field == field::pattern ? "a row and a column" : "a row, a column and a value";
}

std::string outside(char const* what, std::string_view word, std::int64_t count) {
    return fmt::format("{} index {} is outside 1 to {}{}", what, quoted(word), count,
                       word == "0" ? ": the first index is 1, not 0" : "");
}

constexpr char const* no_commas = ": blanks part words, and a point stands before decimals";

std::string malformed_index(char const* what, std::string_view word) {
    return fmt::format("{} index {} is not a whole number{}", what, quoted(word),
                       is_whole_real(word)           ? " as such: write its digits alone"
                       : word.find(',') != word.npos ? no_commas
                                                     : "");
}

std::string malformed_value(std::string_view word, field kind) {
    double number = 0;
    auto const* p = word.data();
    bool const is_real = read_real(p, p + word.size(), number) == number_word::good;
    if (kind == field::integer && is_whole_real(word)) {
        return fmt::format(
            "value {} is a whole number, written as a real one: write its digits alone, or real for "
            "integer in the banner",
            quoted(word));
    }
    if (kind == field::integer && is_real) {
        return fmt::format("value {} is not a whole number: write real for integer in the banner", quoted(word));
    }
    return fmt::format("value {} is not a {}number{}", quoted(word), kind == field::integer ? "whole " : "",
                       word.find(',') != word.npos             ? no_commas
                       : word.find_first_of("dD") != word.npos ? ": E stands before an exponent, not D"
                                                               : "");
}

/// What the banner should say for entries of `words` words, where that is likely.
char const* banner_for(std::int64_t words, matrix_market_header const& header) {
    if (header.layout == layout::array) {
        return words == 3
                   ? ": one value a line, column by column; write coordinate for array in the banner where lines "
                     "have a row, a column and a value"
                   : ": one value a line, column by column";
    }
    if (header.field == field::pattern) return words == 3 ? ": write real for pattern in the banner" : "";
    if (words == 2) return ": write pattern in the banner where entries have no value";
    return words == 4 ? ": complex entries are not supported yet" : "";
}

template <class Body>
void for_chunks(std::vector<entry_chunk>& chunks, Body const& body) {
    parallel_for(std::ssize(chunks), 1, [&](std::int64_t i) { body(chunks[static_cast<std::size_t>(i)]); });
}

}  // namespace

std::vector<entry_chunk> cut_entry_chunks(std::string_view text, std::size_t chunk_bytes) {
    std::vector<entry_chunk> chunks;
    auto const* const end = text.data() + text.size();
    for (auto const* p = text.data(); p != end;) {
        auto const left = static_cast<std::size_t>(end - p);
        auto const* stop = left <= chunk_bytes ? end : line_end(p + chunk_bytes, end);
        if (stop != end) ++stop;
        chunks.emplace_back().text = {p, static_cast<std::size_t>(stop - p)};
        p = stop;
    }
    for_chunks(chunks, [](entry_chunk& chunk) { chunk.entry_count = count_entries(chunk.text); });
    std::int64_t before = 0;
    for (auto& chunk : chunks) {
        chunk.first_entry = before;
        before += chunk.entry_count;
    }
    return chunks;
}

template <class T>
void read_entries(std::vector<entry_chunk>& chunks, matrix_market_header const& header, coo<T>& a) {
    for_chunks(chunks, [&](entry_chunk& chunk) { read_chunk(chunk, header, a); });
}

template void read_entries<float>(std::vector<entry_chunk>&, matrix_market_header const&, coo<float>&);
template void read_entries<double>(std::vector<entry_chunk>&, matrix_market_header const&, coo<double>&);

located_fault first_fault(std::vector<entry_chunk> const& chunks, matrix_market_header const& header) {
    located_fault first;
    char const* below = nullptr;
    char const* above = nullptr;
    for (auto const& chunk : chunks) {
        if (!below) below = chunk.first_below;
        if (!above) above = chunk.first_above;
        if (chunk.fault != entry_fault::none) {
            first = {chunk.fault, chunk.fault_at};
            break;
        }
    }
    if (header.symmetry == symmetry::general || !below || !above) return first;
    auto const* const crossing = std::max(below, above, std::less<>());
    return first.at && std::less<>()(first.at, crossing) ? first : located_fault{entry_fault::other_triangle, crossing};
}

std::string explain(entry_fault fault, std::string_view line, matrix_market_header const& header,
                    std::string_view type) {
    auto const words = word_count(line);
    auto const first = take_word(line);
    auto const second = take_word(line);
    auto const value = header.layout == layout::array ? first : take_word(line);
    switch (fault) {
        case entry_fault::missing_word:
        case entry_fault::extra_word:
            return fmt::format("an entry has {} here; this line has {} word{}{}", expected_words(header), words,
                               words == 1 ? "" : "s", banner_for(words, header));
        case entry_fault::malformed_row:
            return malformed_index("row", first);
        case entry_fault::row_outside:
            return outside("row", first, header.row_count);
        case entry_fault::malformed_column:
            return malformed_index("column", second);
        case entry_fault::column_outside:
            return outside("column", second, header.column_count);
        case entry_fault::malformed_value:
            return malformed_value(value, header.field);
        case entry_fault::value_too_large:
            return fmt::format("value {} is too large for a {}", quoted(value), type);
        case entry_fault::on_skew_diagonal:
            return fmt::format("a skew-symmetric matrix has zeros on its diagonal; this entry there is {}",
                               quoted(value));
        case entry_fault::other_triangle:
            return "a symmetric or skew-symmetric file lists one triangle; this entry and an earlier one lie on "
                   "different sides of the diagonal: write general in the banner where both are listed";
        case entry_fault::none:
            break;
    }
    return {};
}

char const* find_entry(std::vector<entry_chunk> const& chunks, std::int64_t index) {
    auto const chunk = std::partition_point(
        chunks.begin(), chunks.end(), [&](entry_chunk const& c) { return c.first_entry + c.entry_count <= index; });
    auto const* const end = chunk->text.data() + chunk->text.size();
    auto const* p = next_entry(chunk->text.data(), end);
    for (auto k = chunk->first_entry; k < index; ++k) p = next_entry(line_end(p, end), end);
    return p;
}

}  // namespace copse::detail
