// Where a matrix keeps its values, entry by entry.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// A place in 64 bits: the arena's number above 40 bits of offset in bytes.
COPSE_HOST_DEVICE constexpr std::uint64_t value_place(int arena, std::uint64_t offset) {
    return static_cast<std::uint64_t>(arena) << 40 | offset;
}
COPSE_HOST_DEVICE constexpr int arena_of_place(std::uint64_t place) {
    return static_cast<int>(place >> 40);
}
COPSE_HOST_DEVICE constexpr std::uint64_t offset_of_place(std::uint64_t place) {
    return place & ((std::uint64_t{1} << 40) - 1);
}

/// Of each entry of op(A), row by row, columns ascending. Empty where a node stands for several parts of the matrix
/// (hisparse_options::share_identical) or stores a value for several entries (hisparse_options::values): these have no
/// values of their own. Parallel. Throws cuda_error.
template <class T>
std::vector<std::uint64_t> value_places(hisparse<T> const& a);

/// Whether a leaf stands for several parts of the matrix. Throws cuda_error.
template <class T>
bool shares_leaves(hisparse<T> const& a);

}  // namespace copse::detail
