// Where a matrix keeps its values, entry by entry.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// A place in 64 bits: the arena's number above 40 bits of offset in bytes. The highest bit: another entry has this
/// place, too, and has it without the bit. The next one: the value that is stored there is the negative of the entry's.
inline constexpr std::uint64_t repeated_place = std::uint64_t{1} << 63;
inline constexpr std::uint64_t negative_place = std::uint64_t{1} << 62;
COPSE_HOST_DEVICE constexpr std::uint64_t value_place(int arena, std::uint64_t offset) {
    return static_cast<std::uint64_t>(arena) << 40 | offset;
}
COPSE_HOST_DEVICE constexpr int arena_of_place(std::uint64_t place) {
    return static_cast<int>(place >> 40 & 0xff);
}
COPSE_HOST_DEVICE constexpr std::uint64_t offset_of_place(std::uint64_t place) {
    return place & ((std::uint64_t{1} << 40) - 1);
}

struct value_place_list {
    std::vector<std::uint64_t> places;
    bool some_repeated = false;
};
/// Of each entry of op(A), row by row, columns ascending. Some are repeated where a node stands for several parts of
/// the matrix (hisparse_options::share_identical, share_transposed). Empty where a node stores a value for several
/// entries (hisparse_options::values). Parallel. Throws cuda_error.
template <class T>
value_place_list value_places(hisparse<T> const& a);

/// The same for readers: a place without the highest bit for every entry, whatever else is stored there. Entries for
/// which a node stores one value have one place. some_repeated: as above.
template <class T>
value_place_list places_to_read(hisparse<T> const& a);

}  // namespace copse::detail
