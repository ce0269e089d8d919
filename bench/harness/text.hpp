// Numbers and tables for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace copse::bench {

namespace measure = ::copse::bench;  // until all benchmarks say copse::bench

/// 1234567 -> "1,234,567"
std::string with_commas(std::int64_t number);

/// Three digits and a decimal unit: 194300000 -> "194 MB", 12 -> "12 B".
std::string human_bytes(double bytes);

/// Three digits and a unit: 0.0283 -> "28.3 ms".
std::string human_seconds(double seconds);

/// The same text without line breaks and other control characters, which would break a one-line message.
std::string one_line(std::string_view text);

/// Rows of cells in aligned columns, two spaces apart. The first row is the header.
class table {
  public:
    /// One letter per column: 'l' is aligned to the left, 'r' to the right.
    explicit table(std::string alignment) : alignment_(std::move(alignment)) {}
    /// As many cells as columns.
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    /// Lines that end in a line feed and hold no trailing spaces, each behind `indent`.
    std::string text(std::string_view indent = "") const;
    /// The same as Markdown.
    std::string markdown() const;

  private:
    std::string alignment_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace copse::bench
