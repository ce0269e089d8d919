// The Matrix Market reader on whatever libFuzzer comes up with. Beyond crashes and sanitizer reports it looks for
//   - results or messages that depend on how the text is cut into chunks,
//   - exceptions other than format_error, and messages of more than one line,
//   - results or messages that are others when the text is compressed by gzip,
//   - entries outside the matrix, and matrices that are not the same when written and read again.
// Built by the fuzz preset (`tests/run --fuzz 30` builds and runs it), or by hand, without the rest of the tree:
//   mkdir include && ln -s ../.. include/copse
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -I include
//       -I tests tests/fuzz/matrix_market_fuzz.cpp formats/matrix_market*.cpp formats/{text_file,gzip,foreign_file}.cpp
//       -lfmt -lz -o matrix_market_fuzz
//   ./matrix_market_fuzz -max_total_time=30 -malloc_limit_mb=64 found tests/fuzz/matrix_market_seeds
#include <copse/runtime/error.hpp>

#include <cmath>
#include <copse/formats/files/text_file.hpp>
#include <copse/formats/matrix_market.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "formats/files/gzipped.hpp"

namespace {

void require(bool holds, char const* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

template <class T>
struct outcome {
    std::optional<copse::coo<T>> matrix;
    std::string message;
};

template <class T>
outcome<T> parse(std::string_view text, std::size_t chunk_bytes) {
    try {
        return {copse::detail::parse_matrix_market_in_chunks<T>(text, "fuzz", chunk_bytes), {}};
    } catch (copse::format_error const& e) {
        require(std::string_view(e.what()).find_first_of("\r\n") == std::string_view::npos, "a message of two lines");
        require(e.line() > 0, "a message without a line number");
        return {std::nullopt, e.what()};
    }
}

template <class T>
bool same(copse::coo<T> const& a, copse::coo<T> const& b) {
    if (a.row_count != b.row_count || a.column_count != b.column_count) return false;
    if (a.rows != b.rows || a.columns != b.columns || a.values.size() != b.values.size()) return false;
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        bool const both_nan = std::isnan(a.values[k]) && std::isnan(b.values[k]);
        if (!both_nan && (a.values[k] != b.values[k] || std::signbit(a.values[k]) != std::signbit(b.values[k]))) {
            return false;
        }
    }
    return true;
}

template <class T>
void try_text(std::string_view text, std::size_t chunk_bytes) {
    auto const whole = parse<T>(text, text.size() + 1);
    auto const cut = parse<T>(text, chunk_bytes);
    require(whole.message == cut.message, "the message depends on the chunks");
    require(whole.matrix.has_value() == cut.matrix.has_value(), "success depends on the chunks");
    if (!whole.matrix) return;
    require(same(*whole.matrix, *cut.matrix), "the entries depend on the chunks");
    require(whole.matrix->values.size() <= 2 * text.size(), "more entries than the text can hold");
    auto const written = copse::detail::matrix_market_text(*whole.matrix);  // throws for entries outside the matrix
    auto const again = parse<T>(written, chunk_bytes);
    require(again.matrix && same(*whole.matrix, *again.matrix), "another matrix when written and read again");
}

/// One text in 16, because that takes as long as all else.
void try_compressed(std::string_view text) {
    if (copse::detail::is_gzip(text)) return;
    auto const plain = parse<double>(text, text.size() + 1);
    auto const compressed = parse<double>(gzipped(std::string(text)), text.size() + 1);
    require(plain.message == compressed.message, "the message depends on compression");
    require(plain.matrix.has_value() == compressed.matrix.has_value(), "success depends on compression");
    require(!plain.matrix || same(*plain.matrix, *compressed.matrix), "the entries depend on compression");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    // The text itself chooses chunks and type, so that inputs are plain Matrix Market files.
    auto const choice = std::hash<std::string_view>()(text);
    auto const chunk_bytes = choice / 2 % 64;
    if (choice / 128 % 16 == 0) try_compressed(text);
    if (choice % 2 == 0) {
        try_text<float>(text, chunk_bytes);
    } else {
        try_text<double>(text, chunk_bytes);
    }
    return 0;
}
