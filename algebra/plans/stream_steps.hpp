// The streams of a plan's parts (row_stream.hpp) by steps over all entries that go by streams, part by part: what
// make_streams() of row_streams.cpp does for each part.
#pragma once

#include <copse/algebra/plans/item_steps.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/algebra/plans/planning_steps.hpp>
#include <copse/algebra/plans/row_stream.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstdint>
#include <memory>
#include <utility>

namespace copse::detail {

/// Items of a part that go by its stream stand in front: their class is 0.
struct streamed_items {
    std::uint64_t const* keys;
    std::int64_t const* entries_before;  // of items
    plan_part const* parts;
    std::int64_t part_count;
    COPSE_HOST_DEVICE std::int64_t end_of(std::int64_t part) const {
        std::int64_t const first = parts[part].first_item, end = parts[part + 1].first_item;
        return first == end ? end : first_key(keys, first, end, keys[first] >> item_class_bits << item_class_bits | 1);
    }
};

/// Entries that go by the stream of each part; one more place. Columns are met from now on.
struct count_streamed {
    streamed_items from;
    std::int64_t* entries;
    std::uint32_t* least;
    std::uint32_t* most;
    COPSE_HOST_DEVICE void operator()(std::int64_t part) const {
        entries[part] = 0;
        if (part == from.part_count) return;
        entries[part] = from.entries_before[from.end_of(part)] - from.entries_before[from.parts[part].first_item];
        least[part] = ~std::uint32_t{0};
        most[part] = 0;
    }
};

COPSE_HOST_DEVICE inline void widen_for_all(std::uint32_t* least, std::uint32_t* most, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
    if (value < *least) atomicMin(least, value);
    if (value > *most) atomicMax(most, value);
#else
    if (value < *least) *least = value;
    if (value > *most) *most = value;
#endif
}

template <class T>
struct streamed_entry {
    std::int64_t part;
    int row;  // in the part
    std::uint32_t column;
    T value;
};

template <class T>
struct streamed_entries {
    node_reader tree;
    streamed_items from;
    listed_leaf const* items;
    std::int64_t const* before;  // entries of the parts before each
    COPSE_HOST_DEVICE streamed_entry<T> operator[](std::int64_t i) const {
        std::int64_t const p = row_of_entry(before, 0, from.part_count - 1, i);
        plan_part const& part = from.parts[p];
        std::int64_t const entry = from.entries_before[part.first_item] + (i - before[p]);
        std::int64_t const which =
            row_of_entry(from.entries_before, part.first_item, from.parts[p + 1].first_item - 1, entry);
        listed_leaf const item = items[which];
        int const k = item.first + static_cast<int>(entry - from.entries_before[which]);
        value_sign<T> const sign(item.leaf.reference);
        auto const row = static_cast<int>(item.leaf.row - part.first_row);
        if (item.leaf.reference.is_wide_leaf()) {
            auto const leaf = tree.template wide_leaf<T>(item.leaf);
            return {p, row - row_in_leaf(item, tree.dimension_log2()) + leaf.rows[k],
                    item.leaf.column + leaf.columns[k], sign(leaf.values[k])};
        }
        auto const leaf = tree.template sparse_leaf<T>(item.leaf);
        return {p, row + leaf.rows[k], item.leaf.column + leaf.columns[k], sign(leaf.values[k])};
    }
};

/// Part and row in it; entries get their numbers.
template <class T>
struct key_streamed {
    streamed_entries<T> entries;
    std::uint64_t* keys;
    std::uint32_t* numbers;
    std::uint32_t* least;
    std::uint32_t* most;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        streamed_entry<T> const e = entries[i];
        keys[i] = static_cast<std::uint64_t>(e.part) << 8 | static_cast<std::uint64_t>(e.row);
        numbers[i] = static_cast<std::uint32_t>(i);
        widen_for_all(least + e.part, most + e.part, e.column);
    }
};

/// Streams without their places; words of each, padded. One more place.
struct form_streams {
    streamed_items from;
    std::int64_t const* before;
    std::uint32_t const* least;
    std::uint32_t const* most;
    part_stream* streams;
    std::int64_t* words;
    COPSE_HOST_DEVICE void operator()(std::int64_t p) const {
        words[p] = 0;
        if (p == from.part_count) return;
        std::int64_t const count = before[p + 1] - before[p];
        bool const none = count == 0 || most[p] - least[p] >= 1u << stream_column_bits;
        streams[p] = none ? part_stream{0, 0, 0, 0}
                          : part_stream{0, least[p], static_cast<std::int32_t>(count),
                                        static_cast<std::int32_t>(from.end_of(p) - from.parts[p].first_item)};
        words[p] = (streams[p].count + stream_entries_per_lane - 1) / stream_entries_per_lane * stream_entries_per_lane;
    }
};

struct place_streams {
    std::int64_t const* words_before;
    part_stream* streams;
    COPSE_HOST_DEVICE void operator()(std::int64_t p) const { streams[p].first = words_before[p]; }
};

/// Sorted stably by rows.
template <class T>
struct put_streamed {
    streamed_entries<T> entries;
    std::uint64_t const* keys;
    std::uint32_t const* numbers;
    part_stream const* streams;
    std::uint32_t* words;
    T* values;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        auto const p = static_cast<std::int64_t>(keys[i] >> 8);
        part_stream const stream = streams[p];
        if (stream.count == 0) return;
        streamed_entry<T> const e = entries[numbers[i]];
        std::int64_t const place = stream.first + (i - entries.before[p]);
        words[place] = static_cast<std::uint32_t>(e.row) << stream_column_bits | (e.column - stream.column);
        values[place] = e.value;
    }
};

/// Entries of the last row that count for nothing.
template <class T>
struct pad_streams {
    part_stream const* streams;
    std::uint32_t* words;
    T* values;
    COPSE_HOST_DEVICE void operator()(std::int64_t p) const {
        part_stream const stream = streams[p];
        if (stream.count == 0) return;
        std::int64_t const end = stream.first + stream.count;
        for (std::int64_t i = end; i % stream_entries_per_lane != 0; ++i) {  // streams begin at multiples
            words[i] = words[end - 1] >> stream_column_bits << stream_column_bits;
            values[i] = T(0);
        }
    }
};

/// Makes the streams of `lists` in the memory `where`; none if no part has one. keys_of_items, entries_before: of the
/// items in order. Waits.
template <class T, class Steps>
void make_streams(Steps& steps, node_reader const& tree, buffer<std::uint64_t> const& keys_of_items,
                  buffer<std::int64_t> const& entries_before, std::shared_ptr<memory> const& where,
                  plan_direction& lists) {
    nvtx_range const range(nvtx_room::algebra, "copse make streams");
    std::int64_t const parts = lists.part_count;
    streamed_items const from{keys_of_items.data(), entries_before.data(), lists.parts.data(), parts};
    auto const before = room_for<std::int64_t>(steps, parts + 1),
               words_before = room_for<std::int64_t>(steps, parts + 1);
    auto const least = room_for<std::uint32_t>(steps, parts), most = room_for<std::uint32_t>(steps, parts);
    steps.for_each(parts + 1, count_streamed{from, before.data(), least.data(), most.data()});
    std::int64_t const count = add_up(steps, before);
    streamed_entries<T> const entries{tree, from, lists.items.data(), before.data()};
    auto keys = room_for<std::uint64_t>(steps, count);
    auto numbers = room_for<std::uint32_t>(steps, count);
    steps.for_each(count, key_streamed<T>{entries, keys.data(), numbers.data(), least.data(), most.data()});
    auto streams = buffer<part_stream>(where, parts);
    steps.for_each(parts + 1,
                   form_streams{from, before.data(), least.data(), most.data(), streams.data(), words_before.data()});
    std::int64_t const words = add_up(steps, words_before);
    if (words == 0) return;
    steps.for_each(parts, place_streams{words_before.data(), streams.data()});
    lists.streams = std::move(streams);
    lists.stream_words = {where, words};
    lists.stream_values = {where, words * static_cast<std::int64_t>(sizeof(T))};
    T* const values = reinterpret_cast<T*>(lists.stream_values.data());
    sort_numbers(steps, keys, numbers, bits_to_sort(parts - 1) + 8);
    steps.for_each(count, put_streamed<T>{entries, keys.data(), numbers.data(), lists.streams.data(),
                                          lists.stream_words.data(), values});
    steps.for_each(parts, pad_streams<T>{lists.streams.data(), lists.stream_words.data(), values});
}

}  // namespace copse::detail
