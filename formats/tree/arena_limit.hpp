// How much one arena holds: references to nodes have 32 bits for 16 bytes each.
#pragma once

#include <copse/runtime/error.hpp>
#include <cstdint>
#include <string>

namespace copse::detail {

inline constexpr std::int64_t most_arena_bytes = std::int64_t{1} << 36;

/// "operation: what take(s) so many bytes ..": throws shape_error where that is more than an arena holds. `bytes` may
/// be what has been counted so far.
inline void check_arena_bytes(char const* operation, char const* what, std::int64_t bytes) {
    if (bytes > most_arena_bytes)
        throw shape_error(std::string(operation) + ": " + what + ' ' + std::to_string(bytes) +
                          " bytes or more; one arena holds at most " + std::to_string(most_arena_bytes) +
                          " (64 GiB): divide the matrix, by rows for example");
}

}  // namespace copse::detail
