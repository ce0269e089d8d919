// Where the nodes of all levels begin among the sorted pieces of a matrix: one scan, however high the tree is.
//
//   keys of two neighbours    .. 01 | 10 | 11 | row, entries      the highest bit in which they differ is one of level
//                             .. 01 | 11 | 00 | row, entries      1's: with the second one begin nodes at levels 0, 1
//
// Each stretch of pieces counts the nodes that begin in it, level by level. A sum over all stretches of level 0, then
// those of level 1, and so on, is where a stretch's nodes lie in the skeleton (tree_skeleton.hpp), which has one level
// after the other. The root is not counted.
#pragma once

#include <copse/formats/from_rows/tree_key.hpp>
#include <copse/formats/from_rows/tree_skeleton.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// A number of nodes at each level below the root, in one word: up to five of up to 4095.
struct level_counts {
    std::uint64_t word = 0;

    static constexpr int bits = 12;
    static constexpr int most_levels = 5;  // 2^31 rows in nodes of 64 x 64

    /// One node at each of levels 0 .. levels - 1.
    COPSE_HOST_DEVICE static level_counts ones(int levels) {
        return {0x1001001001001u & ((std::uint64_t{1} << (bits * levels)) - 1)};
    }
    COPSE_HOST_DEVICE std::uint32_t at(int level) const {
        return static_cast<std::uint32_t>(word >> (bits * level)) & ((1u << bits) - 1);
    }
    COPSE_HOST_DEVICE friend level_counts operator+(level_counts a, level_counts b) { return {a.word + b.word}; }
};

/// Pieces in stretches, each of which a group of lanes shares: a lane has neighbours.
struct node_starts {
    static constexpr std::int64_t stretch = 2048;                           // what level_counts can count
    static constexpr std::size_t group_bytes = 256 * sizeof(level_counts);  // for groups of up to 256 lanes

    tree_key key;
    std::uint64_t const* keys;  // of the pieces
    std::int64_t count;

    COPSE_HOST_DEVICE std::int64_t stretches() const { return (count + stretch - 1) / stretch; }
    COPSE_HOST_DEVICE std::int64_t index(int level, std::int64_t which) const { return level * stretches() + which; }

    /// With piece i nodes begin at levels 0 .. begun(i) - 1, the root left out.
    COPSE_HOST_DEVICE int begun(std::int64_t i) const {
        if (i == 0) return key.root_level();
        int const differ = bit_width((keys[i] ^ keys[i - 1]) >> key.level_bits());
        return (differ + key.level_bits() - 1) / key.level_bits();
    }

    /// f(i, begun(i)) for a lane's pieces of a stretch, ascending.
    template <class Group, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void for_each(std::int64_t which, Group const& group, F f) const {
        std::int64_t const portion = stretch / group.size(), begin = which * stretch + group.rank() * portion;
        std::int64_t const end = begin + portion < count ? begin + portion : count;
        COPSE_NO_UNROLL
        for (std::int64_t i = begin; i < end; ++i) f(i, begun(i));
    }
    struct counted {
        level_counts before;  // nodes that begin in the stretch with pieces of the lanes before this one
        level_counts through;
    };
    template <class Group>
    COPSE_HOST_DEVICE counted count_in(std::int64_t which, Group const& group) const {
        level_counts mine;
        for_each(which, group, [&](std::int64_t, int levels) { mine = mine + level_counts::ones(levels); });
        auto* const sums = group.template memory<level_counts>();
        level_counts sum = mine;
        COPSE_NO_UNROLL
        for (int distance = 1; distance < group.size(); distance *= 2) {
            sums[group.rank()] = sum;
            group.sync();
            if (group.rank() >= distance) sum = sum + sums[group.rank() - distance];
            group.sync();
        }
        return {{sum.word - mine.word}, sum};
    }
};

/// Stretch, group: how many nodes begin in it. One more count, behind the last level's: nothing.
struct count_starts {
    node_starts starts;
    std::int64_t* counts;

    template <class Group>
    COPSE_HOST_DEVICE void operator()(std::int64_t which, Group const& group) const {
        level_counts const found = starts.count_in(which, group).through;
        if (group.rank() + 1 < group.size()) return;
        int const levels = starts.key.root_level();
        for (int level = 0; level < levels; ++level) counts[starts.index(level, which)] = found.at(level);
        if (which == 0) counts[starts.index(levels, 0)] = 0;
    }
};

/// i: level. Where its nodes begin.
struct tell_levels {
    node_starts starts;
    std::int64_t const* before;
    std::int64_t* begins;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        begins[i] = before[starts.index(static_cast<int>(i), 0)];
    }
};

/// Stretch, group: the nodes that begin in it, and the leaves of its pieces. before: what the counts have become, each
/// the sum of those before it.
struct form_nodes {
    node_starts starts;
    std::int64_t const* before;
    tree_skeleton tree;

    template <class Group>
    COPSE_HOST_DEVICE void operator()(std::int64_t which, Group const& group) const {
        level_counts found = starts.count_in(which, group).before;
        starts.for_each(which, group, [&](std::int64_t i, int begun) {
            form(which, static_cast<std::uint32_t>(i), begun, found);
            found = found + level_counts::ones(begun);
        });
        if (which > 0 || group.rank() > 0) return;
        std::uint32_t const root = tree.root();
        int const level = tree.key.root_level();
        tree.numbers[root] = 0;
        tree.first[root] = level == 0 ? 0 : tree.begin[level - 1];
        tree.first[root + 1] = root;
    }

  private:
    /// found: nodes that begin in the stretch before piece i.
    COPSE_HOST_DEVICE COPSE_INLINE void form(std::int64_t which, std::uint32_t i, int begun, level_counts found) const {
        auto const node_with = [&](int level) {  // the node of a level that the piece is in
            if (level == tree.key.root_level()) return tree.root();
            auto const first = static_cast<std::uint32_t>(before[starts.index(level, which)]);
            return first + found.at(level) - (level < begun ? 0u : 1u);
        };
        std::uint32_t node = node_with(0), below = i;
        tree.leaf_of[i] = node;
        COPSE_NO_UNROLL
        for (int level = 0; level < begun; ++level) {
            std::uint32_t const parent = node_with(level + 1);
            tree.numbers[node] = starts.keys[i] >> (tree.key.level_bits() * (level + 1));
            tree.first[node] = below;
            tree.parents[node] = parent;
            below = node;
            node = parent;
        }
    }
};

}  // namespace copse::detail
