// For formats that pad: how much padding a conversion may make, and the error if it would make more.
#pragma once

#include <copse/runtime/error.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace copse {

/// A conversion was refused: its padding would take more bytes than the limit. Nothing was allocated for entries.
class too_much_padding : public error {
  public:
    too_much_padding(std::string const& message, std::int64_t padding_bytes, std::int64_t limit_bytes)
        : error(message), padding_bytes_(padding_bytes), limit_bytes_(limit_bytes) {}
    std::int64_t padding_bytes() const noexcept { return padding_bytes_; }
    std::int64_t limit_bytes() const noexcept { return limit_bytes_; }

  private:
    std::int64_t padding_bytes_;
    std::int64_t limit_bytes_;
};

namespace detail {

/// The limit if the caller sets none: as many bytes as the entries take, but at least a megabyte.
constexpr std::int64_t default_padding_bytes(std::int64_t entry_bytes) noexcept {
    std::int64_t constexpr least = std::int64_t{1} << 20;
    return entry_bytes < least ? least : entry_bytes;
}

/// `stored`: entries and padding. Throws too_much_padding; `advice` says how to get less padding.
inline void check_padding(char const* format, std::int64_t stored, std::int64_t entries, std::int64_t bytes_of_one,
                          std::optional<std::int64_t> limit_bytes, char const* advice) {
    auto const entry_bytes = entries * bytes_of_one, padding_bytes = (stored - entries) * bytes_of_one;
    auto const limit = limit_bytes.value_or(default_padding_bytes(entry_bytes));
    if (padding_bytes <= limit) return;
    throw too_much_padding(std::string(format) + ": padding would take " + std::to_string(padding_bytes) +
                               " bytes beside " + std::to_string(entry_bytes) + " of entries; the limit is " +
                               std::to_string(limit) + "; " + advice,
                           padding_bytes, limit);
}

}  // namespace detail
}  // namespace copse
