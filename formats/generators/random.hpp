// Random numbers by counter: number k of a sequence is a function of the seed and k, so that threads may ask for them
// in any order. The function is the output step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014).
#pragma once

#include <cstdint>

namespace copse::detail {

constexpr std::uint64_t mix_bits(std::uint64_t bits) noexcept {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31);
}

class random_sequence {
  public:
    /// Sequences of one seed with different `stream` numbers are independent.
    constexpr random_sequence(std::int64_t seed, std::uint64_t stream) noexcept
        : key_(mix_bits(static_cast<std::uint64_t>(seed) + mix_bits(stream + step))) {}

    constexpr std::uint64_t bits(std::int64_t k) const noexcept {
        return mix_bits(key_ + (static_cast<std::uint64_t>(k) + 1) * step);
    }

    /// A whole number in [0, limit), limit at most 2^32. Off uniform by less than limit / 2^32.
    constexpr std::int64_t below(std::int64_t limit, std::int64_t k) const noexcept {
        return static_cast<std::int64_t>(((bits(k) >> 32) * static_cast<std::uint64_t>(limit)) >> 32);
    }

    /// A double in [-1, 1).
    constexpr double signed_unit(std::int64_t k) const noexcept {
        return static_cast<double>(static_cast<std::int64_t>(bits(k) >> 11)) * 0x1p-52 - 1;
    }

    /// A double in [0, 1).
    constexpr double unit(std::int64_t k) const noexcept {
        return static_cast<double>(static_cast<std::int64_t>(bits(k) >> 11)) * 0x1p-53;
    }

  private:
    static constexpr std::uint64_t step = 0x9e3779b97f4a7c15U;  // the golden ratio, odd
    std::uint64_t key_;
};

}  // namespace copse::detail
