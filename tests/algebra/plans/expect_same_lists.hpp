// Compares the lists of a plan's direction item by item, wherever they lie.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree/tree_difference.hpp>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace copse::tests {

template <class T>
std::vector<node> leaves_as_stored(hisparse<T> const& a) {
    hisparse_content nothing;
    nothing.dimension_log2 = a.content()->dimension_log2;
    return detail::difference(nothing, *a.content(), sizeof(T)).added;
}

/// Items are sorted by the numbers of arenas, too: those to come are all behind the matrix's, or all before.
inline void pass_arena_numbers_of(hisparse_content const& a) {
    int last = 0;
    for (arena const& one : a.arenas) last = std::max(last, one.number);
    if (last >= detail::most_arenas / 2) last = detail::most_arenas - 1;
    while (detail::new_arena_number({}) != last) {
    }
}

/// Where a leaf is stored: an arena of the matrix, or which one of turned leaves. What pads items has none.
inline auto place_of(detail::direction_content const& in, node const& n) {
    int arena = n.reference.arena();
    for (std::size_t k = 0; k < in.turned.size(); ++k)
        if (n && in.turned[k].number == arena) arena = detail::most_arenas + static_cast<int>(k);
    child_reference const r = n.reference;
    return std::tuple(arena, r.offset(), r.kind(), r.level(), r.entries(), r.values_once(), r.transposed(),
                      r.negative(), n.row, n.column);
}
inline void expect_same_items(detail::direction_content const& a, buffer<detail::listed_leaf> const& of_a,
                              detail::direction_content const& b, buffer<detail::listed_leaf> const& of_b) {
    auto const items_a = of_a.to_host(), items_b = of_b.to_host();
    ASSERT_EQ(items_a.size(), items_b.size());
    for (std::size_t i = 0; i < items_a.size(); ++i) {
        detail::listed_leaf const &x = items_a[i], &y = items_b[i];
        ASSERT_EQ(place_of(a, x.leaf), place_of(b, y.leaf)) << "item " << i;
        ASSERT_EQ(std::pair(x.first, x.last), std::pair(y.first, y.last)) << "item " << i;
    }
}

inline auto fields_of(detail::plan_part const& p) {
    return std::tuple(p.first_item, p.first_row, p.rows, p.split, p.slot, p.small);
}
inline auto fields_of(detail::plan_split const& s) {
    return std::tuple(s.first_row, s.rows, s.first_slot, s.slots);
}
inline auto fields_of(detail::part_stream const& s) {
    return std::tuple(s.first, s.column, s.count, s.items);
}
template <class Element>
void expect_same_elements(char const* what, buffer<Element> const& of_a, buffer<Element> const& of_b) {
    auto const a = of_a.to_host(), b = of_b.to_host();
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(fields_of(a[i]), fields_of(b[i])) << what << ' ' << i;
}

inline void expect_same_turned(detail::direction_content const& a, detail::direction_content const& b) {
    auto const turned_a = a.turned_leaves.to_host(), turned_b = b.turned_leaves.to_host();
    ASSERT_EQ(turned_a.size(), turned_b.size());
    for (std::size_t i = 0; i < turned_a.size(); ++i) {
        ASSERT_EQ(turned_a[i].original, turned_b[i].original) << i;
        ASSERT_EQ(turned_a[i].places, turned_b[i].places) << i;
        ASSERT_EQ(turned_a[i].turned.offset(), turned_b[i].turned.offset()) << i;
    }
    ASSERT_EQ(a.turned.size(), b.turned.size());
    for (std::size_t k = 0; k < a.turned.size(); ++k)
        EXPECT_EQ(a.turned[k].memory->to_host(), b.turned[k].memory->to_host());
}

/// work: whether both know what a CPU would have to do.
inline void expect_same_lists(detail::direction_content const& by_host, detail::direction_content const& by_steps,
                              bool work = true) {
    expect_same_turned(by_host, by_steps);
    detail::plan_direction const &a = *by_host.lists, &b = *by_steps.lists;
    ASSERT_EQ(a.item_count, b.item_count);
    expect_same_items(by_host, a.items, by_steps, b.items);
    expect_same_items(by_host, a.items_by_sign, by_steps, b.items_by_sign);
    expect_same_elements("part", a.parts, b.parts);
    expect_same_elements("split", a.splits, b.splits);
    EXPECT_EQ(a.part_count, b.part_count);
    EXPECT_EQ(a.split_count, b.split_count);
    EXPECT_EQ(a.slot_count, b.slot_count);
    EXPECT_EQ(a.leaves_repeat, b.leaves_repeat);
    EXPECT_LE(a.most_rows, b.most_rows);
    expect_same_elements("stream", a.streams, b.streams);
    EXPECT_EQ(a.stream_words.to_host(), b.stream_words.to_host());
    EXPECT_EQ(a.stream_values.to_host(), b.stream_values.to_host());
    if (!work) return;
    EXPECT_EQ(a.work_before, b.work_before);
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(by_host.bytes(), by_steps.bytes());
}

}  // namespace copse::tests
