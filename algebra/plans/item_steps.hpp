// The items of a plan, which are what leaves have in ranges of blocks, and their order, as steps: where arrange()
// (plan_lists.cpp) walks. lists_by_steps.hpp says what follows what.
#pragma once

#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/algebra/plans/planning_steps.hpp>
#include <copse/algebra/plans/range_steps.hpp>
#include <copse/formats/leaves/entry_search.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// The pieces, and which of them become one item, or several.
struct item_pieces {
    node const* leaves;
    block_piece const* pieces;
    std::int64_t count;
    list_ranges ranges;
    std::int32_t most_in_item;
    COPSE_HOST_DEVICE bool begins_item(std::int64_t p) const {
        return p == 0 || pieces[p].leaf != pieces[p - 1].leaf ||
               ranges.of_block(pieces[p].block) != ranges.of_block(pieces[p - 1].block);
    }
    COPSE_HOST_DEVICE bool is_cut(block_piece const& piece) const {
        return most_in_item > 0 && leaves[piece.leaf].reference.is_wide_leaf() &&
               ranges.is_split(ranges.of_block(piece.block));
    }
    /// Where a cut item ends that begins with entry `first` of the piece: loads begin with every fourth entry.
    COPSE_HOST_DEVICE std::int32_t end_of_item(block_piece const& piece, std::int32_t first) const {
        std::int32_t const end = first / 4 * 4 + most_in_item;
        return end < piece.last ? end : piece.last;
    }
};

struct count_items {
    item_pieces from;
    std::int64_t* counts;  // and one more place
    COPSE_HOST_DEVICE void operator()(std::int64_t p) const {
        std::int64_t items = 0;
        if (p < from.count && from.begins_item(p)) {
            block_piece const piece = from.pieces[p];
            if (from.is_cut(piece))
                for (std::int32_t k = piece.first; k < piece.last; k = from.end_of_item(piece, k)) ++items;
            else
                items = 1;
        }
        counts[p] = items;
    }
};

struct note_items {
    item_pieces from;
    int dimension_log2;
    std::int64_t const* before;  // items before each piece
    listed_leaf* items;
    COPSE_HOST_DEVICE void operator()(std::int64_t p) const {
        block_piece const piece = from.pieces[p];
        node const n = from.leaves[piece.leaf];
        node const place{n.reference, piece.block << dimension_log2, n.column};
        std::int64_t i = before[p];
        if (from.is_cut(piece)) {
            for (std::int32_t k = piece.first, end; k < piece.last; k = end) {
                end = from.end_of_item(piece, k);
                items[i++] = {place, k, end};
            }
            return;
        }
        if (from.begins_item(p)) {
            items[i].leaf = place;
            items[i].first = piece.first;
        }
        if (p + 1 == from.count || from.begins_item(p + 1)) items[before[p + 1] - 1].last = piece.last;
    }
};

// Items in order: sorted by these keys, one after the other. A stable sort keeps the pieces of a leaf in order.

/// Where the item stands; items get their numbers.
struct key_items_by_place {
    listed_leaf const* items;
    int dimension_log2;
    int column_bits;
    std::uint64_t* keys;
    std::uint32_t* numbers;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        node const n = items[i].leaf;
        keys[i] = std::uint64_t{n.row >> dimension_log2} << column_bits | n.column >> dimension_log2;
        numbers[i] = static_cast<std::uint32_t>(i);
    }
};

/// Where the leaf is stored.
struct key_items_by_storage {
    listed_leaf const* items;
    std::uint32_t const* numbers;
    std::uint64_t* keys;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        keys[i] = storage_number(items[numbers[i]].leaf.reference);
    }
};

/// plan_shape::by_distance.
struct key_items_by_distance {
    listed_leaf const* items;
    std::uint32_t const* numbers;
    int dimension_log2;
    std::uint64_t* keys;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        keys[i] = distance_of(items[numbers[i]], dimension_log2);
    }
};

inline constexpr int item_class_bits = 3;
/// By which items of a range are sorted first.
COPSE_HOST_DEVICE inline std::uint64_t class_of(listed_leaf const& item, plan_shape const& shape) {
    if (shape.most_in_streamed_leaf > 0) return goes_by_stream(item, shape) ? 0 : 1;
    return shape.small_first ? static_cast<std::uint64_t>(size_of(item)) : 0;
}

/// The range, and the class in it: the keys of items in order.
struct key_items_by_range {
    listed_leaf const* items;
    std::uint32_t const* numbers;
    list_ranges ranges;
    int dimension_log2;
    plan_shape shape;
    std::uint64_t* keys;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        listed_leaf const item = items[numbers[i]];
        auto const range = static_cast<std::uint64_t>(ranges.of_block(item.leaf.row >> dimension_log2));
        keys[i] = range << item_class_bits | class_of(item, shape);
    }
};
/// The first of items first .. last - 1, which are in order, whose key is not below `key`.
COPSE_HOST_DEVICE inline std::int64_t first_key(std::uint64_t const* keys, std::int64_t first, std::int64_t last,
                                                std::uint64_t key) {
    return first + lower_bound(last - first, key, [&](std::int64_t i) { return keys[first + i]; });
}

/// What the host is told of the lists.
struct list_totals {
    std::int64_t repeated;  // items whose leaf an earlier one has; stretches of a wide leaf are each read once
    std::int64_t negative;
    std::int64_t parts;
    std::int64_t splits;
    std::int64_t slots;
};

/// Of items that are sorted by storage.
struct look_at_items {
    listed_leaf const* items;
    std::uint32_t const* numbers;
    std::uint64_t const* keys;
    list_totals* totals;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        child_reference const r = items[numbers[i]].leaf.reference;
        if (i > 0 && !r.is_wide_leaf() && keys[i] == keys[i - 1]) add_for_all(&totals->repeated, 1);
        if (r.negative()) add_for_all(&totals->negative, 1);
    }
};

/// In order, padded to an even number.
struct put_items {
    listed_leaf const* from;
    std::uint32_t const* numbers;
    std::int64_t count;
    listed_leaf* items;
    std::int64_t* entries;  // of each; one more place
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        listed_leaf const item = i < count ? from[numbers[i]] : listed_leaf{};
        if (i < count || count % 2 != 0) items[i] = item;
        entries[i] = item.last - item.first;
    }
};

/// plan_direction::items_by_sign.
struct put_items_by_sign {
    listed_leaf const* from;
    std::uint32_t column_count;
    listed_leaf* items;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        listed_leaf item = from[i];
        if (item.leaf.reference.negative()) {
            item.leaf.column += column_count;  // below 2^32: both are at most 2^31
            item.leaf.reference = item.leaf.reference.negative_if(true);
        }
        items[i] = item;
    }
};

}  // namespace copse::detail
