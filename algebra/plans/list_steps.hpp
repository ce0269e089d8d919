// The lists of a plan as steps over leaves, blocks of rows, ranges and items: what a GPU does where arrange()
// (plan_lists.cpp) walks. lists_by_steps.hpp says what follows what.
//
//   unit    a leaf, or an entry of a wide one: numbered through, so that lanes share long lists evenly
//   piece   what a leaf has in one block of rows
//   range   blocks of rows that are joined: a part, or the parts of a split
//   item    what a leaf has in a range
//
// Which block begins a range follows from the range before it, and so with parts of a split: each block says where the
// range would end that began there, and in log2 n rounds all that the first one leads to are found (follow_jumps).
#pragma once

#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

COPSE_HOST_DEVICE inline void add_for_all(std::int64_t* p, std::int64_t value) {
#if defined(__CUDA_ARCH__)
    atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
    *p += value;
#endif
}

/// Where a node is stored, in units of 16 bytes, as a number.
inline constexpr int storage_bits = 40;
COPSE_HOST_DEVICE inline std::uint64_t storage_number(child_reference r) {
    return static_cast<std::uint64_t>(r.arena()) << 32 | r.offset() >> 4;
}

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

/// One round: what is reached leads on as far as `jump` says, and jumps become twice as long. Reached are 1, others 0.
/// What another lane reaches at the same time may count already: it is reached.
struct follow_jumps {
    std::uint32_t const* jump;
    std::uint32_t* next;
    std::int64_t* reached;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::uint32_t const to = jump[i];
        if (reached[i] != 0) reached[to] = 1;
        next[i] = jump[to];
    }
};

/// Of marks that are summed up: whether i was marked.
COPSE_HOST_DEVICE inline bool is_marked(std::int64_t const* before, std::int64_t i) {
    return before[i + 1] != before[i];
}

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

/// What the host is told of the lists.
struct list_totals {
    std::int64_t repeated;  // items whose leaf an earlier one has; parts of a wide leaf are each read once
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

/// The first of keys first .. last - 1, which ascend, that is not below `key`.
COPSE_HOST_DEVICE inline std::int64_t first_key(std::uint64_t const* keys, std::int64_t first, std::int64_t last,
                                                std::uint64_t key) {
    while (first < last) {
        std::int64_t const middle = first + (last - first) / 2;
        if (keys[middle] < key)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

struct find_first_items {
    std::uint64_t const* keys;  // of items in order
    std::int64_t item_count;
    std::int64_t* first_items;  // of each range; one more place
    COPSE_HOST_DEVICE void operator()(std::int64_t r) const {
        first_items[r] = first_key(keys, 0, item_count, static_cast<std::uint64_t>(r) << item_class_bits);
    }
};

/// Items with their ranges, and where parts begin.
struct ranged_items {
    list_ranges ranges;
    std::uint64_t const* keys;
    std::int64_t const* entries_before;
    std::int64_t const* first_items;
    std::int64_t count;
    COPSE_HOST_DEVICE std::int64_t range_of(std::int64_t i) const {
        return static_cast<std::int64_t>(keys[i] >> item_class_bits);
    }
};

/// Behind a part that began with this item; which items begin ranges. One more place, as in jump_over_ranges.
struct jump_over_parts {
    ranged_items from;
    std::uint32_t* jump;
    std::int64_t* reached;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int64_t end = from.count;
        if (i < from.count) {
            std::int64_t const r = from.range_of(i);
            end = from.first_items[r + 1];
            if (from.ranges.is_split(r)) {
                std::int64_t const most = from.entries_before[i] + from.ranges.most_entries;
                end = row_of_entry(from.entries_before, i, end, most);
                if (end == i) ++end;
            }
        }
        jump[i] = static_cast<std::uint32_t>(end);
        reached[i] = i < from.count && (i == 0 || from.range_of(i) != from.range_of(i - 1)) ? 1 : 0;
    }
};

/// Parts, splits and slots of each range; one more place.
struct count_parts {
    ranged_items from;
    std::int64_t const* begun;  // parts that begin before each item
    std::int64_t* parts;
    std::int64_t* splits;
    std::int64_t* slots;
    COPSE_HOST_DEVICE void operator()(std::int64_t r) const {
        parts[r] = splits[r] = slots[r] = 0;
        if (r == from.ranges.count) return;
        std::int64_t const own = begun[from.first_items[r + 1]] - begun[from.first_items[r]];
        parts[r] = own > 0 ? own : 1;  // y is written there, too
        if (!from.ranges.is_split(r)) return;
        splits[r] = 1;
        slots[r] = own;
    }
};

struct tell_totals {
    std::int64_t const* parts;
    std::int64_t const* splits;
    std::int64_t const* slots;
    list_totals* totals;
    COPSE_HOST_DEVICE void operator()(std::int64_t) const {
        totals->parts = *parts;
        totals->splits = *splits;
        totals->slots = *slots;
    }
};

struct note_parts {
    ranged_items from;
    std::int64_t const* begun;
    std::int64_t const* parts_before;  // of ranges
    std::int64_t const* splits_before;
    std::int64_t const* slots_before;
    std::int64_t row_count;
    int dimension_log2;
    plan_part* parts;  // and one behind them
    COPSE_HOST_DEVICE plan_part part_of(std::int64_t r, std::int64_t first_item, std::int64_t which) const {
        std::int64_t const first_row = from.ranges.first_blocks[r] << dimension_log2;
        std::int64_t const end_row = from.ranges.first_blocks[r + 1] << dimension_log2;
        bool const split = from.ranges.is_split(r);
        return {first_item, static_cast<std::uint32_t>(first_row),
                static_cast<std::int32_t>((end_row < row_count ? end_row : row_count) - first_row),
                split ? static_cast<std::int32_t>(splits_before[r]) : -1,
                split ? static_cast<std::int32_t>(slots_before[r] + which) : -1};
    }
    /// i: an item.
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        if (!is_marked(begun, i)) return;
        std::int64_t const r = from.range_of(i), which = begun[i] - begun[from.first_items[r]];
        parts[parts_before[r] + which] = part_of(r, i, which);
    }
};
/// Parts without items, splits, and what is behind the last part.
struct note_other_parts {
    note_parts with;
    plan_split* splits;
    COPSE_HOST_DEVICE void operator()(std::int64_t r) const {
        std::int64_t const part = with.parts_before[r], first_item = with.from.first_items[r];
        if (r == with.from.ranges.count) {
            with.parts[part] = {with.from.count, 0, 0, -1, -1};
            return;
        }
        plan_part const first = with.part_of(r, first_item, 0);
        if (first_item == with.from.first_items[r + 1]) with.parts[part] = first;
        if (first.split >= 0)
            splits[first.split] = {first.first_row, first.rows, first.slot,
                                   static_cast<std::int32_t>(with.slots_before[r + 1] - with.slots_before[r])};
    }
};

/// plan_part::small. p: a part.
struct count_small_items {
    std::uint64_t const* keys;
    plan_part* parts;
    COPSE_HOST_DEVICE void operator()(std::int64_t p) const {
        std::int64_t first = parts[p].first_item;
        std::int64_t const end = parts[p + 1].first_item;
        for (std::size_t s = 0; s < small_item_sizes && first < end; ++s) {
            std::uint64_t const range = keys[first] >> item_class_bits << item_class_bits;
            std::int64_t const next = first_key(keys, first, end, range | (s + 1));
            parts[p].small[s] = static_cast<std::int32_t>(next - first);
            first = next;
        }
    }
};

}  // namespace copse::detail
