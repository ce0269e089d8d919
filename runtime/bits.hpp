// Bits of words, on the host and on the GPU.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

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

}  // namespace copse::detail
