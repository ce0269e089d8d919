// From HiSparse back to compressed rows, where the executor works: what a tree is taken apart into, and the steps over
// it. tree_pieces_tasks.hpp and tree_rows_tasks.hpp have the tasks, tree_rows_operation.hpp says what follows what.
//
//   piece     entries in one block of d x d: a leaf, or neighbours in a wide leaf. Pieces are put in order by block
//             row, then by block column: in any row the entries of one precede those of the next
//   segment   pieces that follow one another in one block row, for one worker
//   places    for each block row, row in it and segment: entries, then the place of the first. In this order their sums
//             are the rows' offsets, and no two workers write to one place
//
//             block row 0, segments 0 and 1     block row 2, segment 2
//             | row 0: 0 1 | row 1: 0 1 | ...   | row 0: 2 | row 1: 2 | ...
#pragma once

#include <copse/formats/leaves/entry_search.hpp>
#include <copse/formats/node.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

struct tree_piece {
    child_reference reference;
    std::int32_t first;  // in a wide leaf; else 0
    std::int32_t count;
};

/// Block row and block column as a number by which pieces are sorted.
struct piece_order {
    int column_bits;

    COPSE_HOST_DEVICE std::uint64_t key(std::uint32_t row_block, std::uint32_t column_block) const {
        return std::uint64_t{row_block} << column_bits | column_block;
    }
    COPSE_HOST_DEVICE std::uint32_t row_block(std::uint64_t key) const {
        return static_cast<std::uint32_t>(key >> column_bits);
    }
    COPSE_HOST_DEVICE std::uint32_t column_block(std::uint64_t key) const {
        return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << column_bits) - 1));
    }
};

/// Pieces as they are found. keys and numbers are what is sorted.
struct piece_list {
    piece_order order;
    tree_piece* pieces;
    std::uint64_t* keys;
    std::uint32_t* numbers;
    std::uint64_t* count;

    COPSE_HOST_DEVICE void put(std::int64_t i, std::uint32_t row_block, std::uint32_t column_block,
                               tree_piece const& piece) const {
        pieces[i] = piece;
        keys[i] = order.key(row_block, column_block);
        numbers[i] = static_cast<std::uint32_t>(i);
    }
};

/// A tree that is one leaf.
struct put_only_leaf {
    piece_list list;
    child_reference leaf;
    COPSE_HOST_DEVICE void operator()(std::int64_t) const {
        list.put(0, 0, 0, {leaf, 0, leaf.entries()});
        *list.count = 1;
    }
};

/// A piece and where it stands.
struct placed_piece {
    tree_piece piece;
    std::uint64_t key;
};

/// The pieces in order.
struct ordered_pieces {
    piece_order order;
    tree_piece const* pieces;
    std::uint64_t const* keys;
    std::uint32_t const* numbers;
    std::int64_t count;

    COPSE_HOST_DEVICE placed_piece operator[](std::int64_t i) const { return {pieces[numbers[i]], keys[i]}; }
    COPSE_HOST_DEVICE std::uint32_t row_block(std::int64_t i) const { return order.row_block(keys[i]); }
};

/// What a segment has at most, unless one piece has more; a piece costs as much as so many entries.
inline constexpr std::int64_t segment_weight = 4096, piece_weight = 32;

struct weigh_pieces {
    ordered_pieces from;
    std::int64_t* weights;  // and one more place
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        weights[i] = i < from.count ? from.pieces[from.numbers[i]].count + piece_weight : 0;
    }
};

struct mark_segments {
    ordered_pieces from;
    std::int64_t const* weights_before;
    std::int64_t* marks;  // and one more place
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        bool const begins =
            i < from.count && (i == 0 || from.row_block(i) != from.row_block(i - 1) ||
                               weights_before[i] / segment_weight != weights_before[i - 1] / segment_weight);
        marks[i] = begins ? 1 : 0;
    }
};

struct tree_segments {
    ordered_pieces pieces;
    std::int64_t const* begin;        // [count + 1]: of each segment's pieces
    std::uint32_t const* row_blocks;  // of each segment
    std::int64_t count;
    std::int64_t* places;  // [d * count + 1]

    /// The first segment in this block row or a later one.
    COPSE_HOST_DEVICE std::int64_t first_in(std::uint32_t row_block) const {
        return lower_bound(count, row_block, [this](std::int64_t i) { return row_blocks[i]; });
    }
};

/// A segment's places: row r has place(r).
struct segment_places {
    std::int64_t* first;
    std::int64_t segments;  // in the block row

    COPSE_HOST_DEVICE segment_places(tree_segments const& all, std::int64_t segment, int dimension_log2) {
        std::int64_t const begin = all.first_in(all.row_blocks[segment]);
        segments = all.first_in(all.row_blocks[segment] + 1) - begin;
        first = all.places + (begin << dimension_log2) + (segment - begin);
    }
    COPSE_HOST_DEVICE std::int64_t& operator[](int row) const { return first[row * segments]; }
};

struct note_segments {
    ordered_pieces from;
    std::int64_t const* marks_before;  // and one more place
    std::int64_t* begin;
    std::uint32_t* row_blocks;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int64_t const segment = marks_before[i];
        if (i == from.count) begin[segment] = i;
        if (i == from.count || marks_before[i + 1] == segment) return;
        begin[segment] = i;
        row_blocks[segment] = from.row_block(i);
    }
};

/// Where a row begins: also for the row behind the last.
struct note_row_offsets {
    tree_segments segments;
    int dimension_log2;
    std::int64_t* row_offsets;
    COPSE_HOST_DEVICE void operator()(std::int64_t row) const {
        auto const row_block = static_cast<std::uint32_t>(row >> dimension_log2);
        std::int64_t const begin = segments.first_in(row_block), end = segments.first_in(row_block + 1);
        std::int64_t const in_block = row & ((1 << dimension_log2) - 1);
        row_offsets[row] = segments.places[(begin << dimension_log2) + in_block * (end - begin)];
    }
};

}  // namespace copse::detail
