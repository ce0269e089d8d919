// The pieces of leaves in blocks of rows, and the ranges that blocks form, as steps: where arrange() (plan_lists.cpp)
// walks. lists_by_steps.hpp says what follows what.
//
//   unit    a leaf, or an entry of a wide one: numbered through, so that lanes share long lists evenly
//   piece   what a leaf has in one block of rows
//   range   blocks of rows that are joined: a part, or the parts of a split
#pragma once

#include <copse/algebra/plans/planning_steps.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// The leaves as a direction sees them.
struct see_leaves {
    node const* from;
    node* to;
    bool transposed;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        node const n = from[i];
        to[i] = transposed ? node{n.reference.transposed_if(true), n.column, n.row} : n;
    }
};

struct count_units {
    node_reader tree;
    node const* leaves;
    std::int64_t count;
    std::int64_t* units;  // and one more place
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        units[i] = i == count ? 0 : leaves[i].reference.is_wide_leaf() ? tree.wide_count(leaves[i]) : 1;
    }
};

struct leaf_unit {
    std::int64_t leaf;
    std::int32_t entry;  // of a wide leaf
};
struct leaf_units {
    node_reader tree;
    node const* leaves;
    std::int64_t leaf_count;
    std::int64_t const* before;  // and of all
    COPSE_HOST_DEVICE leaf_unit operator[](std::int64_t unit) const {
        std::int64_t const leaf = row_of_entry(before, 0, leaf_count - 1, unit);
        return {leaf, static_cast<std::int32_t>(unit - before[leaf])};
    }
    /// The block of rows that the unit is in, counted from the leaf's first.
    template <class T>
    COPSE_HOST_DEVICE std::uint32_t block_in_leaf(leaf_unit unit) const {
        node const n = leaves[unit.leaf];
        if (!n.reference.is_wide_leaf()) return 0;
        return static_cast<std::uint32_t>(tree.template wide_leaf<T>(n).rows[unit.entry] >> tree.dimension_log2());
    }
};

/// Units with which a piece begins.
template <class T>
struct mark_leaf_pieces {
    leaf_units units;
    std::uint8_t* marks;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        leaf_unit const unit = units[i];
        bool const begins = unit.entry == 0 || units.template block_in_leaf<T>(unit) !=
                                                   units.template block_in_leaf<T>({unit.leaf, unit.entry - 1});
        marks[i] = begins ? 1 : 0;
    }
};

struct block_piece {
    std::uint32_t leaf;
    std::uint32_t block;  // of rows
    std::int32_t first;   // entries, as in a listed_leaf
    std::int32_t last;
};

template <class T>
struct note_leaf_pieces {
    leaf_units units;
    std::uint32_t const* begins;
    std::int64_t count;
    block_piece* pieces;
    std::int64_t* entries_of_blocks;  // zeros before
    COPSE_HOST_DEVICE void operator()(std::int64_t p) const {
        leaf_unit const unit = units[begins[p]];
        node const n = units.leaves[unit.leaf];
        // Each leaf begins with a piece: the next one is behind all units of this leaf, or in it.
        std::int64_t const end = p + 1 < count ? begins[p + 1] : units.before[units.leaf_count];
        block_piece const piece{static_cast<std::uint32_t>(unit.leaf),
                                (n.row >> units.tree.dimension_log2()) + units.template block_in_leaf<T>(unit),
                                unit.entry,
                                n.reference.is_wide_leaf() ? static_cast<std::int32_t>(end - units.before[unit.leaf])
                                                           : n.reference.entries()};
        pieces[p] = piece;
        add_for_all(entries_of_blocks + piece.block, piece.last - piece.first);
    }
};

/// Behind a range that began with this block. One more place, which leads to itself.
struct jump_over_ranges {
    std::int64_t const* entries_of_blocks;
    std::int64_t blocks;
    std::int64_t most_blocks;
    std::int64_t join_entries;
    std::uint32_t* jump;
    std::int64_t* reached;  // the first block is
    COPSE_HOST_DEVICE void operator()(std::int64_t first) const {
        reached[first] = first == 0 ? 1 : 0;
        std::int64_t last = first;
        std::int64_t sum = 0;
        for (; last < blocks; ++last) {
            sum += entries_of_blocks[last];
            if (last > first && (last + 1 - first > most_blocks || sum > join_entries)) break;
        }
        jump[first] = static_cast<std::uint32_t>(last);
    }
};

/// The first block of each range, and behind the last.
struct note_ranges {
    std::int64_t const* before;
    std::int64_t blocks;
    std::int64_t* first_blocks;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        if (i == blocks || is_marked(before, i)) first_blocks[before[i]] = i;
    }
};

struct list_ranges {
    std::int64_t const* before;  // ranges before each block
    std::int64_t const* first_blocks;
    std::int64_t const* entries_of_blocks;
    std::int64_t count;
    std::int64_t most_entries;
    COPSE_HOST_DEVICE std::int64_t of_block(std::uint32_t block) const { return before[block + 1] - 1; }
    COPSE_HOST_DEVICE bool is_split(std::int64_t r) const {
        return first_blocks[r + 1] - first_blocks[r] == 1 && entries_of_blocks[first_blocks[r]] > most_entries;
    }
};

}  // namespace copse::detail
