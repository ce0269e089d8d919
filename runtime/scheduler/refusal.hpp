// What a task function must not do, said in words: it asked a leaf for its children, say.
//
//   on the host, in tasks on cpu and emulated too    argument_error is thrown where it happens
//   in a task on a GPU                               nothing: what follows is undefined
//   the same in a checked build (COPSE_CHECKED)      the block keeps the words, its worker records them as the run's
//                                                    failure, and run() throws argument_error with them
//
// A block of a GPU has one place for words, which needs neither run nor worker: functions that are given a node only
// can refuse it.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// The most that words take, with the 0 behind them.
inline constexpr int refusal_bytes = 256;

/// Writes words to a place of refusal_bytes; what finds no room is left out. For host and device.
class refusal_words {
  public:
    COPSE_HOST_DEVICE explicit refusal_words(char* place) : place_(place) { place_[0] = 0; }

    COPSE_HOST_DEVICE refusal_words& operator<<(char const* text) {
        for (; *text != 0; ++text) put(*text);
        return *this;
    }
    COPSE_HOST_DEVICE refusal_words& operator<<(std::int64_t number) {
        if (number < 0) put('-');
        auto const magnitude = number < 0 ? -static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
        std::uint64_t unit = 1;
        while (magnitude / unit >= 10) unit *= 10;
        for (; unit > 0; unit /= 10) put(static_cast<char>('0' + magnitude / unit % 10));
        return *this;
    }

  private:
    COPSE_HOST_DEVICE void put(char c) {
        if (used_ + 1 >= refusal_bytes) return;
        place_[used_++] = c;
        place_[used_] = 0;
    }

    char* place_;
    int used_ = 0;
};

#if COPSE_CHECKED && defined(__CUDACC__)
struct block_refusal {
    std::uint32_t state;  // 0: none, 1: being written, 2: written
    char words[refusal_bytes];
};

/// The block's. No task function runs before the block has set the state to 0.
__device__ inline block_refusal& refusal_of_block() {
    __shared__ block_refusal refusal;
    return refusal;
}

/// Keeps the block's first words: describe(refusal_words&). The release is for whoever finds the state 2.
template <class Describe>
__device__ void refuse_in_block(Describe describe) {
    block_refusal& refusal = refusal_of_block();
    if (atomicCAS(&refusal.state, 0u, 1u) != 0u) return;
    refusal_words words(refusal.words);
    describe(words);
    __threadfence_block();
    atomicExch(&refusal.state, 2u);
}

/// The block's words; null if there are none.
__device__ inline char const* refused_in_block() {
    block_refusal& refusal = refusal_of_block();
    bool const written = atomicAdd(&refusal.state, 0u) == 2u;
    __threadfence_block();
    return written ? refusal.words : nullptr;
}
#endif

}  // namespace copse::detail
