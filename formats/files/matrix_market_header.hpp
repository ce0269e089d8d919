// The banner and the size line of a Matrix Market text, and what a file is that people hand in for one by mistake.
#pragma once

#include <copse/formats/views.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace copse::detail {

enum class matrix_market_layout : std::uint8_t { coordinate, array };
enum class matrix_market_field : std::uint8_t { real, integer, pattern };

struct matrix_market_header {
    matrix_market_layout layout{};
    matrix_market_field field{};
    matrix_symmetry symmetry{};
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    std::int64_t stored_count = 0;  // entries that the file has to hold: before symmetry, for arrays by its shape
    std::int64_t size_line = 0;     // its line number, for messages
    std::size_t header_bytes = 0;   // where the line after the size line starts
};

/// Throws format_error that says what `text` is where it does not start with the banner's first word.
void check_is_matrix_market(std::string_view text, std::string const& name);

/// Throws format_error: no banner, a word in it that is not known, not supported or does not go with another,
/// a size line that is missing, is not numbers, or asks for more than 2^31 rows or columns.
matrix_market_header parse_matrix_market_header(std::string_view text, std::string const& name);

/// What a file that does not start with '%%MatrixMarket' is, as far as its first 64 KB tell, and what to do about it:
/// one line. `name` is the file's, for the commands in it.
std::string describe_foreign_file(std::string_view text, std::string const& name);

}  // namespace copse::detail
