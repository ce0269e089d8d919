// The union of one or two sources of entries as a leaf, on one core: under conversions, edits and additions, wherever
// no source is a dense leaf. The same bits as in large_union, read by the widest vectors that the machine has.
//
//   sources --set bits--> positions --scan--> prefix counts, runs --> shape --the caller finds memory--> write
//
// A run of a source stays in one piece: its values go side by side into the result.
#pragma once

#include <copse/formats/leaf_order.hpp>
#include <copse/formats/leaf_sources.hpp>
#include <copse/formats/node_layout.hpp>
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
    large_union_memory* memory;
    leaf_order order;
    leaf_shape shape;
    int crowded_count;
};

class large_union_cpu {
  public:
    /// `memory`: nobody else's until the leaf is written.
    large_union_cpu(large_union_memory& memory, leaf_order order) : state_{&memory, order, {}, 0} {}

    /// One or two sources, each with any position at most once.
    leaf_shape shape(std::span<leaf_pattern const> sources, std::int64_t value_bytes);

    /// After shape(), for the same sources: writes all of the leaf to `node`, leaf_bytes() of the shape.
    template <class T>
    void write(std::span<leaf_pattern const> sources, std::span<leaf_values<T> const> values, std::byte* node) const;

    /// Instead of shape(): the number of entries, as part of a wide leaf.
    int count(std::span<leaf_pattern const> sources);

    /// After count(), for the same sources: writes the entries to their place.
    template <class T>
    void write_part(std::span<leaf_pattern const> sources, std::span<leaf_values<T> const> values,
                    wide_part_place const& place) const;

  private:
    large_union_state state_;
};

}  // namespace copse::detail
