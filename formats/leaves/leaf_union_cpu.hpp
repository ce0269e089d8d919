// The union of one or two sources of entries as a leaf, on one core: under conversions, edits and additions, wherever
// no source is a dense leaf. What leaf_union.hpp does by lanes, by the widest vectors that the machine has:
//
//   small_union_cpu     few entries: a place is the number of smaller positions, counted for a vector of entries at a
//                       time
//   large_union_cpu     any number, by sets of bits. A streak of a source stays in one piece: its values go side by
//                       side into the result
//   aligned_union_cpu   two sources with the same entries, or of streaks alone (aligned_union_cpu.hpp)
//
//   sources --set bits--> positions --scan--> prefix counts, streaks --> shape --the caller finds memory--> write
//
// The first two have a state of their own, and their functions are compiled once for each instruction set
// (union_cpu-inl.hpp).
#pragma once

#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace copse::detail {

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

/// Where a block goes in a wide leaf.
struct wide_part_place {
    std::byte* leaf;     // prepared
    std::int64_t first;  // entry
    int row;             // of the block, in the wide leaf
    int column;
};

/// State: begins with a pointer to its `memory_type`, a leaf_order and a leaf_shape.
template <class State>
class union_cpu {
  public:
    /// `memory`: nobody else's until the leaf is written.
    union_cpu(typename State::memory_type& memory, leaf_order order) : state_{&memory, order, {}} {}

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
    State state_;
};

/// One thread's memory.
struct small_union_memory {
    static constexpr int most_entries = 64;  // of all sources together
    static constexpr int slots = most_entries + 32;

    // Of all entries of the first source, then of the second: single ones, then streaks.
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
    std::uint64_t in_streaks = 0;  // bit i: the i-th entry of the leaf is in a streak
    std::uint64_t first = 0;       // it is the first of one
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

/// One thread's memory for unions; of d = 256, less is used for smaller leaves.
struct large_union_memory {
    static constexpr std::size_t words = 1024;

    std::uint64_t others[words];  // positions of all entries, in the end of those in no streak
    std::uint64_t in_streaks[words];
    std::uint16_t others_before[words + 32];  // members before each word
    std::uint16_t in_streaks_before[words];
    std::uint8_t crowded[256];  // diagonals with streaks, ascending
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
