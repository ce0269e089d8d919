// The union of one or two sources of entries as a leaf, on one core: under conversions, edits and additions, wherever
// no source is a dense leaf. The same bits as in large_union, read by the widest vectors that the machine has.
//
//   sources --set bits--> positions --scan--> prefix counts, runs --> shape --the caller finds memory--> write
//
// A run of a source stays in one piece: its values go side by side into the result.
#pragma once

#include <copse/formats/leaves/union_cpu.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace copse::detail {

/// One thread's memory for unions; of d = 256, less is used for smaller leaves.
struct large_union_memory {
    static constexpr std::size_t words = 1024;

    std::uint64_t others[words];  // positions of all entries, in the end of those in no run
    std::uint64_t in_runs[words];
    std::uint16_t others_before[words + 32];  // members before each word
    std::uint16_t in_runs_before[words];
    std::uint8_t crowded[256];  // diagonals with runs, ascending
};

/// What is known of a union between its shape and its writing.
struct large_union_state {
    using memory_type = large_union_memory;

    memory_type* memory;
    leaf_order order;
    leaf_shape shape;
    int crowded_count = 0;
};

using large_union_cpu = union_cpu<large_union_state>;

}  // namespace copse::detail
