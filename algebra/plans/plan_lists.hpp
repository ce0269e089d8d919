// What a plan replays: the leaves of a product, by the rows of y that they add to.
//
//   items    leaves, or stretches of wide ones
//   parts    rows side by side, with the items that add to them: one owner works on a part, keeps its sums to itself,
//            and writes them once
//   splits   d rows with so many entries that several parts share them: their sums are added up in the parts' order
//
//   rows of y    0 ........ 1023 | 1024 ........ 2047 | 2048 .. 2175            | 2176 ...
//   parts        joined            joined               part, part, part         joined
//                                                       slots 0, 1, 2: a split
//
// Who works on which part, and when, does not matter to the sums: replaying gives the same bits every time.
#pragma once

#include <array>
#include <copse/cpu/leaves/value_streak.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// All entries of a leaf; or first .. last - 1 of a wide leaf, of which the first is in the d rows that begin at
/// leaf.row.
struct listed_leaf {
    node leaf;
    std::int32_t first;
    std::int32_t last;
};

/// Of a block of a wide leaf: the first row of its block, counted from the leaf's.
COPSE_HOST_DEVICE inline int row_in_leaf(listed_leaf const& item, int dimension_log2) {
    return static_cast<int>(item.leaf.row & ((1u << (2 * dimension_log2)) - 1));
}

/// Sizes of items of which a warp takes several at once. The items are sparse leaves and stretches of wide ones: of up
/// to 4 entries, or of up to 32, which 8 lanes load, 4 entries each.
enum class item_size { sparse_to_4, sparse_to_32, wide_to_4, wide_to_32, larger };
inline constexpr std::size_t small_item_sizes = static_cast<std::size_t>(item_size::larger);

COPSE_HOST_DEVICE inline item_size size_of(listed_leaf const& item) {
    bool const of_wide = item.leaf.reference.is_wide_leaf();
    if (!of_wide && item.leaf.reference.kind() != node_kind::sparse) return item_size::larger;
    if (item.last - item.first <= 4) return of_wide ? item_size::wide_to_4 : item_size::sparse_to_4;
    if (item.last - item.first / 4 * 4 > 32) return item_size::larger;  // loads begin at multiples of 4
    return of_wide ? item_size::wide_to_32 : item_size::sparse_to_32;
}

struct plan_part {
    std::int64_t first_item;  // of the following part: where this one's end
    std::uint32_t first_row;
    std::int32_t rows;
    std::int32_t split;  // whose portion this is; -1: rows that nobody else adds to
    std::int32_t slot;   // of its sums: so many times d elements into the workspace
    // Where the shape has small leaves first: how many items there are of each of these sizes, in this order. The
    // others follow.
    std::array<std::int32_t, small_item_sizes> small{};
};

/// The entries of the part's first items, sorted by rows (row_stream.hpp).
struct part_stream {
    std::int64_t first;    // in the direction's streams: a multiple of 4
    std::uint32_t column;  // from which columns count
    std::int32_t count;
    std::int32_t items;
};

/// Rows count from the part's first.
template <class T>
using plan_streak = value_streak<T>;

/// The part's streaks: first .. first + count - 1 of the direction's. They have all that the part's first `items` items
/// have.
struct streak_range_of_part {
    std::int64_t first;
    std::int32_t count;
    std::int32_t items;
};

struct plan_split {
    std::uint32_t first_row;
    std::int32_t rows;
    std::int32_t first_slot;
    std::int32_t slots;
};

/// What suits an executor.
struct plan_shape {
    std::int32_t most_rows;     // that a part joins from several blocks
    std::int64_t join_entries;  // a part is joined up to so many
    std::int64_t most_entries;  // a block of d rows with more is split
    // A part's items go by size, for lanes that take several small leaves at once; else as they are stored.
    bool small_first = false;
    // Streams have copies of the entries of wide leaves, and of sparse leaves with up to so many entries. 0: none.
    std::int32_t most_in_streamed_leaf = 0;
    // Where several parts share a block's rows, an item has at most so many entries of a wide leaf. 0: no limit.
    std::int32_t most_in_item = 0;
    // A part's items go by how far their columns are from their rows: a leaf that stands at (row, column) and (column,
    // row) then comes equally late in both parts, which GPUs read at about the same time.
    bool by_distance = false;
    // Parts have copies of the streaks of one value each (part_streaks.hpp).
    bool has_streaks = false;
    // Groups of parts, at most, that read a leaf once for (row, column) and (column, row): mirrored_leaves.hpp. 0: each
    // leaf is read for each of its places.
    std::int32_t most_groups = 0;
};

/// Rows of a part at most, for executors with many lanes: what a worker's sums on chip have room for.
inline constexpr int replay_rows = 256;
/// A worker's part there: long enough that its rows' zeroing and writing is little beside it, short enough for many
/// workers.
inline constexpr plan_shape replay_shape{
    .most_rows = replay_rows, .join_entries = 2048, .most_entries = 4096, .small_first = true};

/// For a block of four workers (replay_choices::by_blocks).
inline constexpr plan_shape block_shape{.most_rows = replay_rows,
                                        .join_entries = 4 * replay_shape.join_entries,
                                        .most_entries = 4 * replay_shape.most_entries,
                                        .small_first = true,
                                        .by_distance = true};

/// Blocks between the item's rows and its columns.
COPSE_HOST_DEVICE inline std::uint32_t distance_of(listed_leaf const& item, int dimension_log2) {
    std::uint32_t const row = item.leaf.row >> dimension_log2, column = item.leaf.column >> dimension_log2;
    return row < column ? column - row : row - column;
}

/// Whether a stream has the item's entries.
COPSE_HOST_DEVICE inline bool goes_by_stream(listed_leaf const& item, plan_shape const& shape) {
    return shape.most_in_streamed_leaf > 0 &&
           (item.leaf.reference.is_wide_leaf() ||
            (item.leaf.reference.kind() == node_kind::sparse && item.last - item.first <= shape.most_in_streamed_leaf));
}

/// Whether the part's streaks may have what the item has.
inline bool goes_by_streaks(listed_leaf const& item) {
    return item.leaf.reference.kind() == node_kind::diagonal && item.leaf.reference.values_once();
}

struct plan_lists {
    std::vector<listed_leaf> items;
    std::vector<plan_part> parts;  // and one behind them, for its first_item
    std::vector<plan_split> splits;
    std::int32_t slots = 0;
    std::vector<std::int64_t> work_before;  // entries and rows before each part: portions for threads

    std::int64_t part_count() const { return parts.empty() ? 0 : static_cast<std::int64_t>(parts.size()) - 1; }
};

/// A leaf as it comes from a traversal.
struct plan_leaf {
    node leaf;
    // Of a wide leaf's entries, where the host can read: by blocks of d, ascending.
    std::uint16_t const* rows = nullptr;
    std::int32_t entries = 0;
};

/// leaves: in any order, which does not change the result. row_count: of y. Parallel (OpenMP).
plan_lists arrange(std::vector<plan_leaf> const& leaves, plan_shape const& shape, std::int64_t row_count,
                   int dimension_log2);

/// `lists` without the leaves in `removed` and with those in `added`. Rows stay joined as they are; only parts with
/// rows of these leaves are formed anew.
plan_lists rearrange(plan_lists const& lists, std::vector<node> const& removed, std::vector<plan_leaf> const& added,
                     plan_shape const& shape, int dimension_log2);

}  // namespace copse::detail
