// Writing Matrix Market files: lines are made in parallel, some blocks at a time, and go out in order.
#include <fmt/format.h>
#include <copse/runtime/error.hpp>

#include <algorithm>
#include <charconv>
#include <copse/formats/files/text_file.hpp>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstdint>

namespace copse {
namespace detail {
namespace {

constexpr std::int64_t dimension_limit = std::int64_t{1} << 31;
/// Blocks of lines that are in memory at once, and their length: 50 MB at most, enough work for many threads.
constexpr std::int64_t blocks_at_once = 64;
constexpr std::int64_t block_lines = 1 << 14;
/// Two indices of ten digits, a value such as -2.2250738585072014e-308, and what parts them.
constexpr std::int64_t longest_line_bytes = 10 + 1 + 10 + 1 + 24 + 1;

template <class T>
void check_writable(coo<T> const& a) {
    if (a.rows.size() != a.values.size() || a.columns.size() != a.values.size()) {
        throw shape_error(
            fmt::format("write_matrix_market: a has {} rows, {} columns and {} values; it needs as many of each",
                        a.rows.size(), a.columns.size(), a.values.size()));
    }
    if (std::min(a.row_count, a.column_count) < 0 || std::max(a.row_count, a.column_count) > dimension_limit) {
        throw shape_error(fmt::format("write_matrix_market: a is {} x {}; 0 to 2^31 rows and columns can be written",
                                      a.row_count, a.column_count));
    }
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        if (a.rows[k] >= 0 && a.rows[k] < a.row_count && a.columns[k] >= 0 && a.columns[k] < a.column_count) continue;
        throw shape_error(
            fmt::format("write_matrix_market: entry {} of a is at ({}, {}), outside its matrix of {} x {} (all from 0)",
                        k, a.rows[k], a.columns[k], a.row_count, a.column_count));
    }
}

template <class Number>
void append_number(std::string& text, Number value, char behind) {
    char digits[32];
    auto const end = std::to_chars(digits, digits + sizeof digits - 1, value).ptr;
    *end = behind;
    text.append(digits, end + 1);
}

/// Gives the lines 0 .. count - 1 to `sink` in order; `append_line(text, k)` makes line k and may run on any thread.
template <class AppendLine, class Sink>
void write_lines(std::int64_t count, AppendLine const& append_line, Sink const& sink) {
    std::vector<std::string> blocks(static_cast<std::size_t>(blocks_at_once));
    // Beforehand, so that nothing in the parallel loop can throw.
    for (auto& text : blocks) text.reserve(static_cast<std::size_t>(std::min(count, block_lines) * longest_line_bytes));
    for (std::int64_t first = 0; first < count; first += blocks_at_once * block_lines) {
        detail::parallel_for(blocks_at_once, count > block_lines ? 1 : blocks_at_once, [&](std::int64_t block) {
            auto& text = blocks[static_cast<std::size_t>(block)];
            text.clear();
            auto const start = first + block * block_lines;
            for (auto k = start; k < std::min(start + block_lines, count); ++k) append_line(text, k);
        });
        for (auto const& text : blocks) sink(text);
    }
}

template <class T, class Sink>
void write_matrix(coo<T> const& a, Sink const& sink) {
    sink(fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", a.row_count, a.column_count,
                     a.entry_count()));
    auto const append_line = [&a](std::string& text, std::int64_t index) {
        auto const k = static_cast<std::size_t>(index);
        append_number(text, std::int64_t{a.rows[k]} + 1, ' ');
        append_number(text, std::int64_t{a.columns[k]} + 1, ' ');
        append_number(text, a.values[k], '\n');
    };
    write_lines(a.entry_count(), append_line, sink);
}

}  // namespace

template <class T>
std::string matrix_market_text(coo<T> const& a) {
    check_writable(a);
    std::string text;
    write_matrix(a, [&text](std::string_view lines) { text += lines; });
    return text;
}

template std::string matrix_market_text<float>(coo<float> const&);
template std::string matrix_market_text<double>(coo<double> const&);

}  // namespace detail

template <class T>
void write_matrix_market(std::string const& path, coo<T> const& a) {
    detail::check_writable(a);
    detail::replacing_file file(path);
    detail::write_matrix(a, [&file](std::string_view lines) { file.append(lines); });
    file.commit();
}

template <class T>
void write_matrix_market_vector(std::string const& path, std::span<T const> x) {
    auto const size = static_cast<std::int64_t>(x.size());
    if (size > detail::dimension_limit) {
        throw shape_error(
            fmt::format("write_matrix_market_vector: x has {} elements; up to 2^31 can be written", size));
    }
    detail::replacing_file file(path);
    auto const sink = [&file](std::string_view lines) { file.append(lines); };
    sink(fmt::format("%%MatrixMarket matrix array real general\n{} 1\n", size));
    auto const append_line = [x](std::string& text, std::int64_t k) {
        detail::append_number(text, x[static_cast<std::size_t>(k)], '\n');
    };
    detail::write_lines(size, append_line, sink);
    file.commit();
}

void remove_unfinished_files() noexcept {
    detail::replacing_file::remove_all();
}

template void write_matrix_market<float>(std::string const&, coo<float> const&);
template void write_matrix_market<double>(std::string const&, coo<double> const&);
template void write_matrix_market_vector<float>(std::string const&, std::span<float const>);
template void write_matrix_market_vector<double>(std::string const&, std::span<double const>);

}  // namespace copse
