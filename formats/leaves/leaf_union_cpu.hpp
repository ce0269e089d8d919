// The union of one or two sources of entries as a leaf, on one core: under conversions, edits and additions, wherever
// no source is a dense leaf. What leaf_union.hpp does by lanes:
//
//   small_union         few_entries at most, by the steps of lanes (leaf_union.hpp)
//   large_union_cpu     any number, by sets of bits, by the widest vectors that the machine has. A streak of a source
//                       stays in one piece: its values go side by side into the result
//   aligned_union_cpu   two sources with the same entries, or of streaks alone (aligned_union_cpu.hpp)
//
//   sources --set bits--> positions --scan--> prefix counts, streaks --> shape --the caller finds memory--> write
#pragma once

#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace copse::detail {

/// Up to here small_union is as fast on one core as large_union_cpu. It compares each entry with each: 64 take 1.9 us,
/// and 0.4 by large_union_cpu (AVX-512).
inline constexpr int few_entries = 20;

/// Where the entries of a source stand: single ones, and streaks as in a leaf with streaks.
struct leaf_pattern {
    enum class coordinates : std::uint8_t {
        bytes,      // rows and columns of std::uint8_t
        words,      // of std::uint16_t, of which the digits within the leaf count
        positions,  // `rows` are positions (leaf_order) of std::uint16_t
    };
    void const* rows = nullptr;
    void const* columns = nullptr;
    streak_list streaks{};
    std::int32_t count = 0;    // single entries
    std::int32_t entries = 0;  // with those in streaks
    coordinates stored = coordinates::bytes;
    bool ascending = false;  // whether entries and streaks are known to be in leaf_order
};

/// The values of a source's entries, each of which counts `factor` times.
template <class T>
struct leaf_values {
    entry_values<T> values;
    streak_value_list<T> streak_values;
    T factor;
};

/// What a leaf is as a source, or entries first .. first + count - 1 of a wide one.
template <class T>
struct leaf_source {
    leaf_pattern pattern;
    leaf_values<T> values;

    explicit leaf_source(T factor) : values{{}, {}, factor} {}

    void take(sparse_leaf_view<T> const& leaf, int, int count) {
        pattern.rows = leaf.rows;
        pattern.columns = leaf.columns;
        pattern.count = leaf.count;
        pattern.entries = count;
        values.values = leaf.values;
    }
    void take(diagonal_leaf_view<T> const& leaf, int first, int count) {
        take(leaf.others, first, count);
        pattern.streaks = leaf.streaks;
        values.streak_values = leaf.streak_values;
    }
    void take(wide_leaf_view<T> const& leaf, int first, int count) {
        pattern.rows = leaf.rows + first;
        pattern.columns = leaf.columns + first;
        pattern.count = pattern.entries = count;
        pattern.stored = leaf_pattern::coordinates::words;
        values.values = leaf.values.from(first);
    }

    template <class View>
    static constexpr bool can_take = requires(leaf_source& source, View const& leaf) {
        source.take(leaf, 0, 0);
    };
};

/// One thread's memory for unions; of d = 256, less is used for smaller leaves.
struct large_union_memory {
    static constexpr std::size_t words = 1024;

    std::uint64_t others[words];  // positions of all entries, in the end of those in no streak
    std::uint64_t in_streaks[words];
    std::uint16_t others_before[words + 32];  // members before each word
    std::uint16_t in_streaks_before[words];
    std::uint8_t crowded[256];            // diagonals with streaks, ascending
    std::uint16_t positions[64 * words];  // of the entries in no streak, in order, while they are written
};

/// What is known of a union between its shape and its writing.
struct large_union_state {
    large_union_memory* memory;
    leaf_order order;
    leaf_shape shape;
    int crowded_count = 0;
};

class large_union_cpu {
  public:
    /// `memory`: nobody else's until the leaf is written.
    large_union_cpu(large_union_memory& memory, leaf_order order) : state_{&memory, order, {}} {}

    /// One or two sources, each with any position at most once.
    leaf_shape shape(std::span<leaf_pattern const> sources, std::int64_t value_bytes);

    /// After shape(), for the same sources: writes all of the leaf to `node`, leaf_bytes() of the shape.
    template <class T>
    void write(std::span<leaf_pattern const> sources, std::span<leaf_values<T> const> values, std::byte* node) const;

  private:
    large_union_state state_;
};

}  // namespace copse::detail
