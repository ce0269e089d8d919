// Numbers and tables for people, and the command's standard output.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace copse::cli {

/// 1234567 -> "1,234,567"
std::string with_commas(std::int64_t number);

/// Three digits and a decimal unit: 194300000 -> "194 MB", 12 -> "12 B".
std::string human_bytes(double bytes);

/// Three digits and a unit: 0.0283 -> "28.3 ms".
std::string human_seconds(double seconds);

/// bytes / entries with two digits; empty for a matrix without entries.
std::string per_entry(std::int64_t bytes, std::int64_t entries);

/// The same text without line breaks and other control characters, which would break a one-line message.
std::string one_line(std::string_view text);

/// Rows of cells in aligned columns, two spaces apart.
class table {
  public:
    /// One letter for each column: 'l' is aligned to the left, 'r' to the right.
    explicit table(std::string alignment) : alignment_(std::move(alignment)) {}
    /// As many cells as columns.
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    /// Lines that end in a line feed and hold no trailing spaces.
    std::string text() const;

  private:
    std::string alignment_;
    std::vector<std::vector<std::string>> rows_;
};

/// Prints on standard output. Throws error if that is closed or full.
void print(std::string const& text);
/// Prints the object on one line. Bytes that are not UTF-8, as in the name of a file, are replaced.
void print(nlohmann::ordered_json const& object);

}  // namespace copse::cli
