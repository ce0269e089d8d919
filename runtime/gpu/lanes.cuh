// The threads that make up a gpu worker, and what they do together.
//
//   narrow_lanes<1 .. 32>    a tile of a warp: shuffles, and words in shared memory where lanes leave marks
//   wide_lanes<64, 128>      two or four warps: a named barrier and a little shared memory
//
// By hand: the headers of cooperative groups take six seconds of each file that nvcc compiles, and with their
// coalesced_group it took one and a half times as long for SpMV.
#pragma once

#include <copse/runtime/gpu/access.cuh>
#include <copse/runtime/task.hpp>
#include <cstddef>
#include <type_traits>

namespace copse::detail {

/// A value that lanes exchange word by word: exchange(word) gives the word of another lane.
template <class T, class Exchange>
__device__ T exchange_words(T value, Exchange const& exchange) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32,
                  "copse: lanes exchange trivially copyable values of at most 32 bytes");
    unsigned words[(sizeof(T) + 3) / 4] = {};
    memcpy(words, &value, sizeof(T));
    for (unsigned& word : words) word = exchange(word);
    memcpy(&value, words, sizeof(T));
    return value;
}

template <int Width>
class narrow_lanes {
  public:
    static constexpr int mark_count = 4 * Width;
    /// Shared memory of one worker.
    static constexpr std::size_t exchange_bytes = mark_count * sizeof(std::uint32_t);
    static constexpr int size() { return Width; }

    /// worker_index: in the block. sync() before lanes_alike() is called.
    __device__ narrow_lanes(int worker_index, std::byte* exchange)
        : block_marks_(reinterpret_cast<std::uint32_t*>(exchange) - worker_index * mark_count) {
        for (int i = rank(); i < mark_count; i += Width) marks()[i] = 0;
    }

    __device__ int rank() const { return static_cast<int>(threadIdx.x % Width); }
    __device__ void sync() const { __syncwarp(mask()); }

    template <class T>
    __device__ T shuffle(T value, int source) const {
        return exchange_words(value, [&](unsigned word) { return __shfl_sync(mask(), word, source, Width); });
    }
    /// Lane 0's value. What lane 0 did before it comes before what the others do after it, for all who look: a shuffle
    /// alone orders no memory.
    template <class T>
    __device__ T broadcast(T value) const {
        sync();
        return shuffle(value, 0);
    }
    template <class T, class Op>
    __device__ T reduce(T value, Op op) const {
        for (int distance = 1; distance < Width; distance *= 2) {
            T const other = exchange_words(
                value, [&](unsigned word) { return __shfl_xor_sync(mask(), word, distance, Width); });
            // Lower lanes on the left: all lanes compute the same expression, whatever op is.
            bool const upper = (rank() & distance) != 0;
            value = op(upper ? other : value, upper ? value : other);
        }
        return value;
    }
    template <class T, class Op>
    __device__ T inclusive_scan(T value, Op op) const {
        for (int distance = 1; distance < Width; distance *= 2) {
            T const other = exchange_words(
                value, [&](unsigned word) { return __shfl_up_sync(mask(), word, distance, Width); });
            if (rank() >= distance) value = op(other, value);
        }
        return value;
    }
    __device__ bool any(bool b) const { return __any_sync(mask(), b) != 0; }
    /// Bit i: lane i of these.
    __device__ std::uint32_t lanes_where(bool b) const { return __ballot_sync(mask(), b) >> first_lane(); }
    __device__ std::uint32_t lanes_with(int label) const { return __match_any_sync(mask(), label) >> first_lane(); }
    /// For add_in_order(). `match` (lanes_with) compares with one label after the other: 387 cycles for 32 different
    /// ones on an H200.
    __device__ std::uint32_t lanes_alike(int label) const {
        std::uint32_t const own = 1u << rank();
        std::uint32_t* const mark = marks() + (label & (mark_count - 1));
        if (label >= 0) atomicOr_block(mark, own);
        sync();
        std::uint32_t const alike = label >= 0 ? *mark : own;
        sync();
        if (label >= 0 && (alike & (own - 1)) == 0) *mark = 0;
        sync();
        return alike;
    }
    __device__ narrow_lanes const& warp() const { return *this; }

  private:
    /// In the warp.
    __device__ static unsigned first_lane() {
        if constexpr (Width == 32)
            return 0;
        else
            return threadIdx.x % 32 / Width * Width;
    }
    __device__ static unsigned mask() { return (0xffffffffu >> (32 - Width)) << first_lane(); }

    /// All 0 between calls. Found from the block's first mark, whose address is a constant: a pointer kept for each
    /// worker would take a register, and replaying plans has none left.
    __device__ std::uint32_t* marks() const { return block_marks_ + threadIdx.x / Width * mark_count; }

    std::uint32_t* block_marks_;
};

template <int Width>
class wide_lanes {
  public:
    /// Shared memory of one worker: 8 bytes per lane, and its warps' own.
    static constexpr std::size_t slot_bytes = std::size_t{Width} * 8,
                                 exchange_bytes = slot_bytes + Width / 32 * narrow_lanes<32>::exchange_bytes;
    static constexpr int size() { return Width; }

    __device__ wide_lanes(int worker_index, std::byte* exchange)
        : warp_(static_cast<int>(threadIdx.x / 32),
                exchange + slot_bytes + rank() / 32 * narrow_lanes<32>::exchange_bytes),
          worker_index_(worker_index),
          exchange_(exchange) {}

    __device__ int rank() const { return static_cast<int>(threadIdx.x % Width); }
    __device__ void sync() const {
        // Numbers known when it is compiled: with a run-time number a block takes all 16 barriers of the hardware.
        if (Width == block_threads || worker_index_ == 0)
            named_barrier<1, Width>();
        else
            named_barrier<2, Width>();
    }

    template <class T>
    __device__ T shuffle(T value, int source) const {
        unsigned long long words[(sizeof(T) + 7) / 8] = {};
        memcpy(words, &value, sizeof(T));
        auto* const slots = reinterpret_cast<unsigned long long*>(exchange_);
        for (auto& word : words) {
            slots[rank()] = word;
            sync();
            word = slots[source];
            sync();
        }
        memcpy(&value, words, sizeof(T));
        return value;
    }
    /// As narrow_lanes': by the barrier.
    template <class T>
    __device__ T broadcast(T value) const {
        T* const slot = slots_of<T>();
        if (rank() == 0) *slot = value;
        sync();
        T const result = *slot;
        sync();
        return result;
    }
    template <class T, class Op>
    __device__ T reduce(T value, Op op) const {
        T* const sums = slots_of<T>();
        T const warp_sum = warp_.reduce(value, op);
        if (warp_.rank() == 0) sums[rank() / 32] = warp_sum;
        sync();
        T result = sums[0];
        for (int warp = 1; warp < Width / 32; ++warp) result = op(result, sums[warp]);
        sync();
        return result;
    }
    template <class T, class Op>
    __device__ T inclusive_scan(T value, Op op) const {
        T* const sums = slots_of<T>();
        T result = warp_.inclusive_scan(value, op);
        if (warp_.rank() == 31) sums[rank() / 32] = result;
        sync();
        for (int warp = rank() / 32 - 1; warp >= 0; --warp) result = op(sums[warp], result);
        sync();
        return result;
    }
    __device__ bool any(bool b) const {
        return reduce(b ? 1 : 0, [](int left, int right) { return left | right; }) != 0;
    }
    __device__ std::uint32_t lanes_where(bool) const { return one_warp_only(); }
    __device__ std::uint32_t lanes_with(int) const { return one_warp_only(); }
    __device__ narrow_lanes<32> const& warp() const { return warp_; }

  private:
    __device__ static std::uint32_t one_warp_only() {
        static_assert(Width <= 32, "copse: lanes_where() and lanes_with() are for workers of at most 32 lanes");
        return 0;
    }
    /// One T per warp.
    template <class T>
    __device__ T* slots_of() const {
        static_assert(alignof(T) <= 16 && sizeof(T) * (Width / 32) <= slot_bytes);
        return reinterpret_cast<T*>(exchange_);
    }

    narrow_lanes<32> warp_;
    int worker_index_;
    std::byte* exchange_;
};

template <int Width>
using lanes =
    std::conditional_t<(Width > 32), wide_lanes<(Width > 32 ? Width : 64)>, narrow_lanes<(Width > 32 ? 32 : Width)>>;

/// The lanes of a warp that are here now, wherever here is; or those among them that have the same label. They agree on
/// the mask, because one instruction gave it to all of them, and each of them comes to the calls below that wait for
/// the lanes of the mask. Other lanes of the warp may be elsewhere, or here with a mask of their own.
class coalesced_lanes {
  public:
    __device__ coalesced_lanes() : mask_(__activemask()) {}
    __device__ explicit coalesced_lanes(int label) : mask_(__match_any_sync(__activemask(), label)) {}

    __device__ std::uint32_t rank() const { return static_cast<std::uint32_t>(__popc(mask_ & lanes_below())); }
    __device__ std::uint32_t size() const { return static_cast<std::uint32_t>(__popc(mask_)); }
    /// As narrow_lanes'.
    template <class T>
    __device__ T broadcast(T value) const {
        __syncwarp(mask_);
        int const first = __ffs(static_cast<int>(mask_)) - 1;
        return exchange_words(value, [&](unsigned word) { return __shfl_sync(mask_, word, first); });
    }

  private:
    unsigned mask_;
};

}  // namespace copse::detail
