// Makes one direction of a plan from its leaves, on the host: turned copies, lists, and what products read beside
// these. For a cpu, and for updates; plans of lanes are made by lists_by_steps.hpp.
//
//   leaves --turn_leaves()--> turned copies --to_arrange()--> arrange() or rearrange() --place_lists()--> finish()
#pragma once

#include <algorithm>
#include <copse/algebra/plans/part_streaks.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/plans/row_streams.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory/copy_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace copse::detail {

/// Whether a direction that sees the leaf so has a turned copy of it.
inline bool is_turned(node const& n) {
    return n.reference.is_wide_leaf() && n.reference.transposed();
}
/// A leaf as a direction has it.
inline node seen_with(turned_map const& turned_of, node n) {
    if (!is_turned(n)) return n;
    child_reference const turned = turned_of.at(stored_key(n.reference)).turned;
    return {turned.negative_if(n.reference.negative()), n.row, n.column};
}

/// The leaves that are turned for `direction`.
inline turned_map map_of(direction_content const& direction) {
    turned_map map;
    for (turned_leaf const& leaf : direction.turned_leaves.to_host()) map.emplace(stored_key(leaf.original), leaf);
    return map;
}

/// plan_direction::items_by_sign; empty, if no leaf counts negatively.
inline buffer<listed_leaf> items_by_sign(std::vector<listed_leaf> const& items, std::int64_t column_count,
                                         std::shared_ptr<memory> const& where) {
    auto const is_negative = [](listed_leaf const& item) { return item.leaf.reference.negative(); };
    if (std::none_of(items.begin(), items.end(), is_negative)) return {};
    std::vector<listed_leaf> moved = items;
    for (listed_leaf& item : moved) {
        if (!is_negative(item)) continue;
        item.leaf.column += static_cast<std::uint32_t>(column_count);  // below 2^32: both are at most 2^31
        item.leaf.reference = item.leaf.reference.negative_if(true);
    }
    return {where, std::span<listed_leaf const>(moved)};
}

/// Whether a quarter of the items or more are leaves that an earlier item is, too. Parts of a wide leaf are each read
/// once.
inline bool leaves_repeat(std::vector<listed_leaf> const& items) {
    std::vector<std::uint64_t> keys;
    for (listed_leaf const& item : items)
        if (!item.leaf.reference.is_wide_leaf()) keys.push_back(stored_key(item.leaf.reference));
    std::sort(keys.begin(), keys.end());
    std::size_t const repeated =
        keys.size() - static_cast<std::size_t>(std::unique(keys.begin(), keys.end()) - keys.begin());
    return repeated > 0 && 4 * repeated >= items.size();
}

/// The lists in the memory `where`.
template <class T>
std::shared_ptr<plan_direction const> placed_lists(plan_lists&& lists, row_streams<T> const& streams,
                                                   part_streaks<T> const& streaks, mirrored_lists&& mirrored,
                                                   column_groups&& columns, std::int64_t column_count, bool for_lanes,
                                                   std::shared_ptr<memory> const& where) {
    auto const placed = std::make_shared<plan_direction>();
    plan_direction& result = *placed;
    result.leaves_repeat = for_lanes && leaves_repeat(lists.items);
    if (!streams.words.empty()) {
        result.streams = {where, std::span<part_stream const>(streams.parts)};
        result.stream_words = {where, std::span<std::uint32_t const>(streams.words)};
        result.stream_values = {where, std::as_bytes(std::span<T const>(streams.values))};
    }
    if (!streaks.streaks.empty()) {
        result.streak_ranges = {where, std::span<streak_range_of_part const>(streaks.parts)};
        result.streaks = {where, std::as_bytes(std::span<plan_streak<T> const>(streaks.streaks))};
    }
    result.mirrored = std::move(mirrored);
    result.columns = std::move(columns);
    result.item_count = std::ssize(lists.items);
    if (result.item_count % 2 != 0) lists.items.push_back({});
    result.items = {where, std::span<listed_leaf const>(lists.items)};
    result.items_by_sign = items_by_sign(lists.items, column_count, where);
    result.parts = {where, std::span<plan_part const>(lists.parts)};
    result.splits = {where, std::span<plan_split const>(lists.splits)};
    result.part_count = lists.part_count();
    result.split_count = std::ssize(lists.splits);
    result.slot_count = lists.slots;
    result.work_before = std::move(lists.work_before);
    result.time = result.work_before.back();
    // An entry in a streak of one value takes an eighth of the time: n1024-l1, 32,768 such entries, 4 us.
    for (plan_streak<T> const& streak : streaks.streaks) result.time -= streak.count - streak.count / 8;
    for (plan_part const& part : lists.parts) result.most_rows = std::max<std::int64_t>(result.most_rows, part.rows);
    return placed;
}

/// A direction of `plan` while it is put together. Leaves are given as the direction sees them.
template <class T>
class direction_maker {
  public:
    /// stored: the wide leaves that are to be looked at, fetched by the first direction for both.
    direction_maker(plan_content<T> const& plan, bool of_transpose, std::optional<node_fetcher>& stored)
        : plan_(plan), of_transpose_(of_transpose), stored_(stored) {}

    direction_content& made() { return *made_; }
    /// What is turned: known to the host until finish().
    turned_map& turned_of() { return turned_of_; }

    /// Turns those of these leaves that need it; none of them is yet.
    void turn_leaves(std::vector<node> const& leaves) {
        std::vector<child_reference> wide;
        for (node const& n : leaves)
            if (n.reference.is_wide_leaf()) wide.push_back(n.reference);
        if (wide.empty()) return;
        if (!stored_) stored_.emplace(*plan_.matrix, sizeof(T)).fetch(wide);
        if (std::none_of(leaves.begin(), leaves.end(), is_turned)) return;
        number_ = number_of_turned(all_arenas());
        turned_ = turn<T>(*stored_, leaves, number_);
        turned_nodes_ = turned_.nodes.data();
        add_turned(number_, std::move(turned_.nodes));
        turned_of_.insert(turned_.map.begin(), turned_.map.end());
    }

    /// Turns what `old` has turned, for other values.
    void turn_again(direction_content const& old) {
        turned_of_ = map_of(old);
        if (old.turned.empty()) return;
        std::vector<child_reference> originals;
        for (auto const& [key, leaf] : turned_of_) originals.push_back(leaf.original);
        node_fetcher stored(*plan_.matrix, sizeof(T));
        stored.fetch(originals);
        for (arena const& a : old.turned) {
            buffer<std::byte> nodes(host_memory(), a.memory->size());
            write_turned<T>(stored, turned_of_, a.number, nodes.data());
            add_turned(a.number, std::move(nodes));
        }
    }

    /// What the lists are made from: each leaf, or its turned copy if it has one. Copies must have been made before.
    std::vector<plan_leaf> to_arrange(std::vector<node> const& leaves) const {
        node_reader const own_tree(number_, turned_nodes_, nullptr, dimension_log2());
        std::vector<plan_leaf> result;
        result.reserve(leaves.size());
        for (node n : leaves) {
            if (!n.reference.is_wide_leaf()) {
                result.push_back({n, nullptr, n.reference.entries()});
                continue;
            }
            node const own = seen_with(turned_of_, n);
            auto const leaf = n.reference.transposed() ? own_tree.template wide_leaf<T>(own) : stored_leaf(own);
            result.push_back({own, leaf.rows, leaf.count});
        }
        return result;
    }

    void place_lists(plan_lists&& lists) {
        plan_shape const& shape = plan_.shape;
        row_streams<T> streams;
        part_streaks<T> streaks;
        mirrored_lists mirrored;
        column_groups columns;
        if (shape.most_in_streamed_leaf > 0 || shape.has_streaks || shape.most_groups > 0) {
            host_tree const nodes(all_arenas(), plan_.where->space(), {dimension_log2(), sizeof(T)});
            node_reader const tree = nodes.view();
            if (shape.most_in_streamed_leaf > 0) streams = make_streams<T>(tree, lists, shape);
            if (shape.has_streaks) streaks = find_part_streaks<T>(tree, lists);
            if (shape.most_groups > 0) {
                mirrored = find_mirrored_leaves(tree, lists, streaks.parts, sizeof(T), shape.most_groups);
                columns = find_column_groups(tree, lists, streaks.parts, column_count(), sizeof(T), shape.most_groups);
            }
        }
        made_->lists = placed_lists(std::move(lists), streams, streaks, std::move(mirrored), std::move(columns),
                                    column_count(), shape.most_groups == 0, plan_.where);
    }

    std::unique_ptr<direction_content> finish() {
        std::vector<turned_leaf> turned;
        for (auto const& [key, leaf] : turned_of_) turned.push_back(leaf);
        std::sort(turned.begin(), turned.end(), [](turned_leaf const& a, turned_leaf const& b) {
            return stored_key(a.turned) < stored_key(b.turned);
        });
        made_->turned_leaves = {plan_.where, std::span<turned_leaf const>(turned)};
        read_with_turned(*made_, *plan_.matrix, plan_.where);
        return std::move(made_);
    }

    /// All of it from the direction's leaves.
    std::unique_ptr<direction_content> make(std::vector<node> const& leaves) {
        turn_leaves(leaves);
        place_lists(arrange(to_arrange(leaves), plan_.shape, row_count(), dimension_log2()));
        return finish();
    }

  private:
    int dimension_log2() const { return plan_.matrix->dimension_log2; }
    std::int64_t row_count() const { return of_transpose_ ? plan_.matrix->column_count : plan_.matrix->row_count; }
    std::int64_t column_count() const { return of_transpose_ ? plan_.matrix->row_count : plan_.matrix->column_count; }
    /// The matrix's, and those with turned copies.
    std::vector<arena> all_arenas() const {
        std::vector<arena> all = plan_.matrix->arenas;
        all.insert(all.end(), made_->turned.begin(), made_->turned.end());
        return all;
    }
    /// nodes: in host memory, where they stay unless the plan's memory is another.
    void add_turned(int number, buffer<std::byte>&& nodes) {
        made_->turned.push_back(
            {number, std::make_shared<buffer<std::byte>>(in_memory(plan_.where, std::move(nodes)))});
    }
    wide_leaf_view<T> stored_leaf(node n) const {
        fetched_node const leaf = stored_->fetched(n.reference);
        return leaf.tree.template wide_leaf<T>(leaf.place);
    }

    plan_content<T> const& plan_;
    bool of_transpose_;
    std::optional<node_fetcher>& stored_;
    std::unique_ptr<direction_content> made_ = std::make_unique<direction_content>();
    turned_map turned_of_;
    int number_ = -1;
    turned_leaves turned_;
    std::byte const* turned_nodes_ = nullptr;
};

}  // namespace copse::detail
