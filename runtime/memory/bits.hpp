// Bits of words and of addresses, on the host and on the GPU. Functions that a GPU calls must not use <bit>: with
// relaxed constexpr nvcc takes them without a word, and of GCC's std::bit_width(std::uint64_t) and std::countr_zero it
// makes constants.
#pragma once

#include <bit>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <type_traits>

namespace copse::detail {

COPSE_HOST_DEVICE COPSE_INLINE int bit_count(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
    return __popc(bits);
#else
    return __builtin_popcount(bits);
#endif
}
COPSE_HOST_DEVICE COPSE_INLINE int bit_count(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
    return __popcll(bits);
#else
    return __builtin_popcountll(bits);
#endif
}
/// The place of the lowest bit; bits != 0.
COPSE_HOST_DEVICE COPSE_INLINE int lowest_bit(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
    return __ffs(static_cast<int>(bits)) - 1;
#else
    return __builtin_ctz(bits);
#endif
}
COPSE_HOST_DEVICE COPSE_INLINE int lowest_bit(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
    return __ffsll(static_cast<long long>(bits)) - 1;
#else
    return __builtin_ctzll(bits);
#endif
}
/// Bits that `number` takes without leading zeros; 0 takes none.
COPSE_HOST_DEVICE constexpr int bit_width(std::uint64_t number) {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) return 64 - __clzll(static_cast<long long>(number));
#endif
    return static_cast<int>(std::bit_width(number));
}

/// How many elements before p its 16 bytes begin, the most that a lane loads or stores at once. p is a multiple of
/// sizeof(T).
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE int misalignment(T const* p) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) / sizeof(T) % (16 / sizeof(T)));
}

}  // namespace copse::detail
