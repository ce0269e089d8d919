// The union of two leaves whose entries lie in it as they lie in the sources, on one core: next to nothing is done for
// single entries.
//
//   equal patterns   the same entries, streaks and order: coordinates are copied, values are added where they lie
//   streaks alone    a walk over both sorted lists of intervals of positions:
//
//     a   |---------|        |----|      begin, end: positions (leaf_order), which do not go on from one diagonal to
//     b       |---------|    |----|      the next
//         |---|-----|---|    |----|      a, both, b: pieces, each by one loop over values
//
// Everything else is small_union's or large_union_cpu's (leaf_union_cpu.hpp), which give the same leaf.
#pragma once

#include <copse/formats/leaves/leaf_union_cpu.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace copse::detail {

/// One thread's memory.
struct aligned_union_memory {
    static constexpr int most_streaks = 512;  // of both sources together

    struct interval {
        std::int32_t begin, end;   // positions
        std::int32_t first_value;  // of the source's streak values
    };
    interval of[2][most_streaks];  // ascending
    interval merged[most_streaks];
};

class aligned_union_cpu {
  public:
    aligned_union_cpu(aligned_union_memory& memory, leaf_order order) : memory_(&memory), order_(order) {}

    /// Whether two leaves of d x d are such a union; shape() is then known. Its kind is what the rule (smallest_leaf)
    /// gave the leaves: streaks of two leaves take less than a list and than a dense leaf, as those of one did.
    bool takes(std::span<leaf_pattern const> sources, std::span<bool const> streak_values_once);
    leaf_shape shape() const { return shape_; }
    /// Writes all of the leaf to `node`, leaf_bytes() of the shape.
    template <class T>
    void write(std::span<leaf_pattern const> sources, std::span<leaf_values<T> const> values, std::byte* node) const;

  private:
    void list_intervals(int side, leaf_pattern const& source, bool once);
    void merge(int a_count, int b_count);

    aligned_union_memory* memory_;
    leaf_order order_;
    leaf_shape shape_;
    bool equal_ = false;
};

}  // namespace copse::detail
