// A set of positions of a d x d node as bits, in memory that the lanes of a worker share; and the number of members
// before a position, which is where its entry goes in the node. Members may be inserted in any order: a union of two
// nodes needs no sorted input, and none of them is transposed or sorted first.
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// One stretch of 64 positions at a time: word(i) has positions 64 * i .. 64 * i + 63.
class position_set {
  public:
    /// Memory for sets of d * d positions, in bytes.
    COPSE_HOST_DEVICE static constexpr std::size_t bytes(std::size_t d) { return d * d / 8 + d * d / 64 * 2; }

    COPSE_HOST_DEVICE position_set(std::byte* memory, int dimension_log2)
        : halves_(reinterpret_cast<std::uint32_t*>(memory)),
          before_(reinterpret_cast<std::uint16_t*>(memory + (std::size_t{1} << (2 * dimension_log2 - 3)))),
          words_(1 << (2 * dimension_log2 - 6)) {}

    COPSE_HOST_DEVICE int words() const { return words_; }
    COPSE_HOST_DEVICE COPSE_INLINE std::uint64_t word(int i) const { return reinterpret_cast<any_word*>(halves_)[i]; }
    COPSE_HOST_DEVICE COPSE_INLINE void set_word(int i, std::uint64_t bits) const {
        reinterpret_cast<any_word*>(halves_)[i] = bits;
    }
    COPSE_HOST_DEVICE COPSE_INLINE bool contains(int position) const {
        return (halves_[position / 32] >> (position % 32) & 1) != 0;
    }
    /// After count().
    COPSE_HOST_DEVICE COPSE_INLINE int index_of(int position) const {
        std::uint64_t const below = (std::uint64_t{1} << (position % 64)) - 1;
        return before_[position / 64] + bit_count(word(position / 64) & below);
    }

    /// f(index, position) for each member, ascending in each lane; the lanes share them. After count().
    template <class Worker, class F>
    COPSE_HOST_DEVICE void for_each(Worker& w, F f) const {
        for (int i = w.rank(); i < words_; i += w.size()) {
            int index = before_[i];
            for (std::uint64_t rest = word(i); rest != 0; rest &= rest - 1) f(index++, 64 * i + lowest_bit(rest));
        }
    }

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void insert(Worker& w, int position) const {
        w.set_bits(&halves_[position / 32], 1u << (position % 32));
    }
    /// Positions first .. first + count - 1, count > 0, by one lane.
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void insert_run(Worker& w, int first, int count) const {
        int const last = first + count - 1;
        for (int i = first / 32; i <= last / 32; ++i) {
            std::uint32_t const from = i == first / 32 ? ~0u << (first % 32) : ~0u;
            std::uint32_t const to = i == last / 32 ? ~0u >> (31 - last % 32) : ~0u;
            w.set_bits(&halves_[i], from & to);
        }
    }
    /// Collective.
    template <class Worker>
    COPSE_HOST_DEVICE void clear(Worker& w) const {
        for (int i = w.rank(); i < 2 * words_; i += w.size()) halves_[i] = 0;
        w.sync();
    }
    /// The number of members; prepares index_of(). Collective; what was inserted before the last sync counts.
    template <class Worker>
    COPSE_HOST_DEVICE int count(Worker& w) const {
        int const portion = (words_ + w.size() - 1) / w.size();
        int const first = w.rank() * portion < words_ ? w.rank() * portion : words_;
        int const last = first + portion < words_ ? first + portion : words_;
        int mine = 0;
        for (int i = first; i < last; ++i) mine += bit_count(word(i));
        int before = w.inclusive_scan(mine, [](int a, int b) { return a + b; }) - mine;
        for (int i = first; i < last; ++i) {
            before_[i] = static_cast<std::uint16_t>(before);
            before += bit_count(word(i));
        }
        int const total = w.shuffle(before, w.size() - 1);
        w.sync();
        return total;
    }

  private:
    // Lanes set bits by 32, everything else reads by 64: the two may alias.
    using any_word = std::uint64_t __attribute__((may_alias));

    std::uint32_t* halves_;
    std::uint16_t* before_;  // members before each word
    int words_;
};

}  // namespace copse::detail
