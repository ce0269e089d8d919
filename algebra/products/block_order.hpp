// Entries of a wide leaf in order of their blocks of d rows, for leaves that are stored in another order.
#pragma once

#include <array>
#include <cstdint>

namespace copse::detail {

/// A counting sort of positions 0 .. count - 1 by rows[position] / d, stable. Most: of entries.
template <int Most>
class block_order {
  public:
    /// count <= Most <= 65536.
    block_order(std::uint16_t const* rows, int count, int dimension_log2) {
        for (int i = 0; i < count; ++i) ++ends_[rows[i] >> dimension_log2];
        int begin = 0;
        for (int block = 0; block < most_blocks; ++block) {
            int const size = ends_[block];
            ends_[block] = begin;
            begin += size;
        }
        for (int i = 0; i < count; ++i) positions_[ends_[rows[i] >> dimension_log2]++] = static_cast<std::uint16_t>(i);
    }

    /// f(block, positions, count) for each block that has any.
    template <class F>
    void for_each_block(F const& f) const {
        for (int block = 0, begin = 0; block < most_blocks; begin = ends_[block++])
            if (begin < ends_[block]) f(block, positions_.data() + begin, ends_[block] - begin);
    }

  private:
    static constexpr int most_blocks = 256;  // a wide leaf covers d^2 rows, d at most 256
    std::array<int, most_blocks> ends_{};    // of blocks, in positions_
    std::array<std::uint16_t, Most> positions_;
};

}  // namespace copse::detail
