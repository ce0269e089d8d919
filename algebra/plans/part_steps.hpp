// The parts of a plan and its splits, cut from items in order, as steps: where arrange() (plan_lists.cpp) walks.
// lists_by_steps.hpp says what follows what.
#pragma once

#include <copse/algebra/plans/item_steps.hpp>
#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/algebra/plans/planning_steps.hpp>
#include <copse/algebra/plans/range_steps.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

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
