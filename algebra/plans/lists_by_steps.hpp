// One direction of a plan made where the executor works, from leaves in its memory: what direction_maker makes on the
// host, the same items in the same order.
//
//   leaves --turn--> copies of wide leaves                                          turning_steps.hpp
//   units --select--> pieces --add up--> blocks of rows --follow jumps--> ranges    range_steps.hpp
//   pieces --count, scan--> items --sort by place, by storage, by range and size-->
//     items in order                                                                item_steps.hpp
//   items --scan, follow jumps--> parts and splits                                  form_parts() below
//   parts --count, sort--> streams                                                  stream_steps.hpp
//
// Only totals come to the host: they say how much memory the next steps take.
#pragma once

#include <algorithm>
#include <copse/algebra/plans/item_steps.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/algebra/plans/planning_steps.hpp>
#include <copse/algebra/plans/range_steps.hpp>
#include <copse/algebra/plans/stream_steps.hpp>
#include <copse/algebra/plans/turning_steps.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace copse::detail {

// The parts and their splits, cut from items in order, where arrange() (plan_lists.cpp) walks.

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

/// Whether steps make what the shape asks for. The host makes what only a CPU replays.
inline bool made_by_steps(plan_shape const& shape) {
    return !shape.has_streaks && shape.most_groups == 0 && (shape.most_in_item == 0 || shape.most_in_item >= 4);
}

template <class T, class Steps>
class direction_by_steps {
  public:
    /// most: of units. Tests take less.
    direction_by_steps(Steps& steps, plan_content<T> const& plan, bool of_transpose,
                       std::int64_t most = std::numeric_limits<std::uint32_t>::max() - 1)
        : steps_(steps),
          plan_(plan),
          most_numbers_(most),
          row_count_(of_transpose ? plan.matrix->column_count : plan.matrix->row_count),
          column_count_(of_transpose ? plan.matrix->row_count : plan.matrix->column_count),
          log2_(plan.matrix->dimension_log2) {
        made_->tree = reader_of(*plan.matrix);
    }

    /// From `count` leaves, which the direction sees transposed, or as they are. Waits. Null where numbers of 32 bits
    /// do not suffice.
    std::unique_ptr<direction_content> make(buffer<node> const& leaves, std::int64_t count, bool transposed) {
        nvtx_range const range(nvtx_room::algebra, "copse plan by steps", plan_.matrix->entry_count);
        leaves_ = room_for<node>(steps_, count);
        steps_.for_each(count, see_leaves{leaves.data(), leaves_.data(), transposed});
        units_before_ = room_for<std::int64_t>(steps_, count + 1);
        steps_.for_each(count + 1, count_units{tree(), leaves_.data(), count, units_before_.data()});
        units_ = add_up(steps_, units_before_);
        if (units_ > most_numbers_) return nullptr;  // nothing else that has a number is more
        turn_leaves(steps_, plan_, row_count_, column_count_, leaves_, *made_);
        find_items();
        sort_items();
        form_parts();
        if (plan_.shape.most_in_streamed_leaf > 0)
            make_streams<T>(steps_, tree(), keys_, entries_before_, plan_.where, *lists_);
        steps_.wait();
        made_->lists = lists_;
        return std::move(made_);
    }

  private:
    node_reader const& tree() const { return made_->tree; }
    std::int64_t blocks() const { return (row_count_ + (std::int64_t{1} << log2_) - 1) >> log2_; }

    /// In any order that has the pieces of a leaf side by side.
    void find_items() {
        nvtx_range const range(nvtx_room::algebra, "copse find items");
        leaf_units const units{tree(), leaves_.data(), leaves_.size(), units_before_.data()};
        auto const marks = room_for<std::uint8_t>(steps_, units_);
        steps_.for_each(units_, mark_leaf_pieces<T>{units, marks.data()});
        auto const begins = select_marked(steps_, marks, units_);
        auto const pieces = room_for<block_piece>(steps_, begins.size());
        entries_of_blocks_ = zeros<std::int64_t>(steps_, blocks());
        steps_.for_each(begins.size(), note_leaf_pieces<T>{units, begins.data(), begins.size(), pieces.data(),
                                                           entries_of_blocks_.data()});
        form_ranges();
        item_pieces const from{leaves_.data(), pieces.data(), pieces.size(), ranges_, plan_.shape.most_in_item};
        auto const items_before = room_for<std::int64_t>(steps_, pieces.size() + 1);
        steps_.for_each(pieces.size() + 1, count_items{from, items_before.data()});
        std::int64_t const items = add_up(steps_, items_before);
        items_ = room_for<listed_leaf>(steps_, items);
        steps_.for_each(pieces.size(), note_items{from, log2_, items_before.data(), items_.data()});
        leaves_ = {};
        units_before_ = {};
    }
    void form_ranges() {
        auto jump = room_for<std::uint32_t>(steps_, blocks() + 1);
        ranges_before_ = room_for<std::int64_t>(steps_, blocks() + 1);
        steps_.for_each(blocks() + 1,
                        jump_over_ranges{entries_of_blocks_.data(), blocks(), plan_.shape.most_rows >> log2_,
                                         plan_.shape.join_entries, jump.data(), ranges_before_.data()});
        mark_reached(steps_, std::move(jump), ranges_before_.data(), blocks());
        std::int64_t const count = add_up(steps_, ranges_before_);
        first_blocks_ = room_for<std::int64_t>(steps_, count + 1);
        steps_.for_each(blocks() + 1, note_ranges{ranges_before_.data(), blocks(), first_blocks_.data()});
        ranges_ = {ranges_before_.data(), first_blocks_.data(), entries_of_blocks_.data(), count,
                   plan_.shape.most_entries};
    }

    void sort_items() {
        nvtx_range const range(nvtx_room::algebra, "copse sort items", items_.size());
        std::int64_t const n = items_.size();
        keys_ = room_for<std::uint64_t>(steps_, n);
        auto numbers = room_for<std::uint32_t>(steps_, n);
        totals_ = room_for<list_totals>(steps_, 1);
        steps_.zero(&totals_.data()->repeated, 2);  // what is added up
        int const column_bits = bits_to_sort((column_count_ - 1) >> log2_);
        steps_.for_each(n, key_items_by_place{items_.data(), log2_, column_bits, keys_.data(), numbers.data()});
        sort_numbers(steps_, keys_, numbers, bits_to_sort((row_count_ - 1) >> log2_) + column_bits);
        steps_.for_each(n, key_items_by_storage{items_.data(), numbers.data(), keys_.data()});
        sort_numbers(steps_, keys_, numbers, storage_bits);
        steps_.for_each(n, look_at_items{items_.data(), numbers.data(), keys_.data(), totals_.data()});
        if (plan_.shape.by_distance) {
            steps_.for_each(n, key_items_by_distance{items_.data(), numbers.data(), log2_, keys_.data()});
            sort_numbers(steps_, keys_, numbers, bits_to_sort((std::max(row_count_, column_count_) - 1) >> log2_));
        }
        steps_.for_each(n,
                        key_items_by_range{items_.data(), numbers.data(), ranges_, log2_, plan_.shape, keys_.data()});
        sort_numbers(steps_, keys_, numbers, bits_to_sort(ranges_.count - 1) + item_class_bits);
        lists_->item_count = n;
        lists_->items = {plan_.where, (n + 1) / 2 * 2};
        entries_before_ = room_for<std::int64_t>(steps_, n + 1);
        steps_.for_each(n + 1,
                        put_items{items_.data(), numbers.data(), n, lists_->items.data(), entries_before_.data()});
        steps_.sum_before(entries_before_.data(), n + 1);
        items_ = {};
    }

    void form_parts() {
        nvtx_range const range(nvtx_room::algebra, "copse form parts");
        plan_direction& lists = *lists_;
        std::int64_t const n = lists.item_count, ranges = ranges_.count;
        auto const first_items = room_for<std::int64_t>(steps_, ranges + 1),
                   begun = room_for<std::int64_t>(steps_, n + 1);
        steps_.for_each(ranges + 1, find_first_items{keys_.data(), n, first_items.data()});
        ranged_items const from{ranges_, keys_.data(), entries_before_.data(), first_items.data(), n};
        auto jump = room_for<std::uint32_t>(steps_, n + 1);
        steps_.for_each(n + 1, jump_over_parts{from, jump.data(), begun.data()});
        // Any two parts of a split that follow one another have more than most_entries.
        mark_reached(
            steps_, std::move(jump), begun.data(),
            std::min(n, 2 * plan_.matrix->entry_count / std::max<std::int64_t>(plan_.shape.most_entries, 1) + 1));
        steps_.sum_before(begun.data(), n + 1);
        auto const parts = room_for<std::int64_t>(steps_, ranges + 1),
                   splits = room_for<std::int64_t>(steps_, ranges + 1),
                   slots = room_for<std::int64_t>(steps_, ranges + 1);
        steps_.for_each(ranges + 1, count_parts{from, begun.data(), parts.data(), splits.data(), slots.data()});
        for (auto const* counts : {&parts, &splits, &slots}) steps_.sum_before(counts->data(), ranges + 1);
        steps_.for_each(
            1, tell_totals{parts.data() + ranges, splits.data() + ranges, slots.data() + ranges, totals_.data()});
        list_totals const totals = totals_.to_host().front();
        lists.part_count = totals.parts;
        lists.split_count = totals.splits;
        lists.slot_count = totals.slots;
        lists.leaves_repeat = totals.repeated > 0 && 4 * totals.repeated >= n;
        lists.most_rows = std::min(row_count_, std::int64_t{1} << log2_);
        lists.most_rows =
            std::min(row_count_, std::max<std::int64_t>(lists.most_rows, plan_.shape.most_rows >> log2_ << log2_));
        lists.parts = {plan_.where, totals.parts + 1};
        lists.splits = {plan_.where, totals.splits};
        note_parts const note{from,         begun.data(), parts.data(), splits.data(),
                              slots.data(), row_count_,   log2_,        lists.parts.data()};
        steps_.for_each(n, note);
        steps_.for_each(ranges + 1, note_other_parts{note, lists.splits.data()});
        if (plan_.shape.small_first && plan_.shape.most_in_streamed_leaf == 0)
            steps_.for_each(totals.parts, count_small_items{keys_.data(), lists.parts.data()});
        if (totals.negative > 0) {
            lists.items_by_sign = {plan_.where, lists.items.size()};
            steps_.for_each(lists.items.size(),
                            put_items_by_sign{lists.items.data(), static_cast<std::uint32_t>(column_count_),
                                              lists.items_by_sign.data()});
        }
        if (plan_.where->space() == memory_space::host) measure_work(lists);
    }
    /// For a CPU that replays what lanes would.
    void measure_work(plan_direction& lists) const {
        std::int64_t rows = 0;
        for (std::int64_t p = 0; p <= lists.part_count; rows += lists.parts.data()[p++].rows)
            lists.work_before.push_back(entries_before_.data()[lists.parts.data()[p].first_item] + rows);
        lists.time = lists.work_before.back();
    }

    Steps& steps_;
    plan_content<T> const& plan_;
    std::int64_t const most_numbers_;
    std::int64_t const row_count_;
    std::int64_t const column_count_;
    int const log2_;
    std::unique_ptr<direction_content> made_ = std::make_unique<direction_content>();
    std::shared_ptr<plan_direction> lists_ = std::make_shared<plan_direction>();
    buffer<node> leaves_;
    buffer<std::int64_t> units_before_;  // of leaves, and of all
    std::int64_t units_ = 0;
    buffer<std::int64_t> entries_of_blocks_;
    buffer<std::int64_t> ranges_before_;
    buffer<std::int64_t> first_blocks_;
    list_ranges ranges_{};
    buffer<listed_leaf> items_;   // in no order
    buffer<std::uint64_t> keys_;  // of items in order
    buffer<std::int64_t> entries_before_;
    buffer<list_totals> totals_;
};

}  // namespace copse::detail
