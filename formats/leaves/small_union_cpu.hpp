// The union of one or two sources with few entries as a leaf, on one core: an entry's place is the number of smaller
// positions, counted for a vector of entries at a time. See large_union_cpu.hpp for any number.
#pragma once

#include <copse/formats/leaves/union_cpu.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace copse::detail {

/// One thread's memory.
struct small_union_memory {
    static constexpr int most_entries = 64;  // of all sources together
    static constexpr int slots = most_entries + 32;

    // Of all entries of the first source, then of the second: single ones, then runs.
    std::uint16_t positions[slots];
    std::uint16_t rows[slots];
    std::uint16_t columns[slots];
    std::int16_t keys[slots];  // compare as positions do
    std::int16_t kept[slots];  // the same, but the largest key where the first source has the entry too
    std::int16_t places[slots];
    std::uint16_t sorted[slots];  // positions of the union
};

struct small_union_state {
    using memory_type = small_union_memory;

    memory_type* memory;
    leaf_order order;
    leaf_shape shape;
    std::uint64_t in_runs = 0;  // bit i: the i-th entry of the leaf is in a run
    std::uint64_t first = 0;    // it is the first of one
    std::uint64_t last = 0;
};

class small_union_cpu : public union_cpu<small_union_state> {
  public:
    using union_cpu::union_cpu;

    static bool fits(std::span<leaf_pattern const> sources) {
        int entries = 0;
        for (leaf_pattern const& source : sources) entries += source.entries;
        return entries <= small_union_memory::most_entries;
    }
};

}  // namespace copse::detail
