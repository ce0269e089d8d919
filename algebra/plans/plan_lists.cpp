#include <algorithm>
#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/formats/leaves/leaf.hpp>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>

namespace copse::detail {
namespace {

std::size_t at(std::int64_t i) {
    return static_cast<std::size_t>(i);
}

/// By where they are stored: neighbours are read one after the other.
auto storage_key(node const& n) {
    return std::tuple(n.reference.arena(), n.reference.offset(), n.row, n.column);
}

/// f(block of rows, first, last): a leaf's entries first .. last - 1 are in this block.
template <class F>
void for_each_block(plan_leaf const& leaf, int log2, F f) {
    std::int64_t const block = leaf.leaf.row >> log2;
    if (!leaf.rows) return f(block, 0, leaf.entries);
    for_each_block_row(leaf.rows, 0, leaf.entries, log2,
                       [&](int in_leaf, std::int32_t first, std::int32_t last) { f(block + in_leaf, first, last); });
}

/// Rows that belong together, and the items that add to them: a part, or a split.
struct row_range {
    std::int64_t first_row;
    std::int64_t end_row;
    std::int64_t first_item = 0;
    std::int64_t end_item = 0;
};

/// Which range each block of rows is in.
class range_map {
  public:
    range_map(std::vector<row_range> const& ranges, int log2) : log2_(log2) {
        if (!ranges.empty()) of_block_.resize(at(((ranges.back().end_row - 1) >> log2) + 1));
        for (std::size_t r = 0; r < ranges.size(); ++r)
            for (std::int64_t b = ranges[r].first_row >> log2; b << log2 < ranges[r].end_row; ++b)
                of_block_[at(b)] = static_cast<std::int32_t>(r);
    }
    std::int32_t of_block(std::int64_t block) const { return of_block_[at(block)]; }

    /// f(range, item) for the leaf, or for each range that a wide leaf has entries in.
    template <class F>
    void for_each_item(plan_leaf const& leaf, F f) const {
        listed_leaf item{leaf.leaf, 0, 0};
        std::int32_t current = -1;
        for_each_block(leaf, log2_, [&](std::int64_t block, std::int32_t first, std::int32_t last) {
            if (of_block(block) != current) {
                if (current >= 0) f(current, item);
                current = of_block(block);
                item.leaf.row = static_cast<std::uint32_t>(block << log2_);
                item.first = first;
            }
            item.last = last;
        });
        if (current >= 0) f(current, item);
    }

  private:
    int log2_;
    std::vector<std::int32_t> of_block_;
};

item_size size_of(listed_leaf const& item) {
    bool const of_wide = item.leaf.reference.is_wide_leaf();
    if (!of_wide && item.leaf.reference.kind() != sparse_leaf::kind) return item_size::larger;
    if (item.last - item.first <= 4) return of_wide ? item_size::wide_to_4 : item_size::sparse_to_4;
    if (item.last - item.first / 4 * 4 > 32) return item_size::larger;  // loads begin at multiples of 4
    return of_wide ? item_size::wide_to_32 : item_size::sparse_to_32;
}

/// Lists from ranges with their items, range by range.
class list_builder {
  public:
    list_builder(plan_shape const& shape, int log2) : shape_(shape), log2_(log2) {}

    void add(row_range const& r, std::span<listed_leaf const> items) {
        auto const first = std::ssize(lists_.items);
        lists_.items.insert(lists_.items.end(), items.begin(), items.end());
        std::int64_t entries = 0;
        for (listed_leaf const& item : items) entries += item.last - item.first;
        bool const one_block = r.end_row - r.first_row <= std::int64_t{1} << log2_;
        bool const is_split = one_block && entries > shape_.most_entries;
        if (is_split && shape_.most_in_item > 0) cut_items(first);
        auto const own = lists_.items.begin() + first;
        if (shape_.most_in_streamed_leaf > 0)
            std::stable_partition(own, lists_.items.end(),
                                  [&](listed_leaf const& item) { return goes_by_stream(item, shape_); });
        else if (shape_.has_streaks)
            std::stable_partition(own, lists_.items.end(), goes_by_streaks);
        else if (shape_.small_first)
            std::stable_sort(own, lists_.items.end(),
                             [](auto const& a, auto const& b) { return size_of(a) < size_of(b); });
        if (is_split)
            add_split(r, first);
        else
            add_part(r, first, -1, entries);
    }
    plan_lists finish() {
        lists_.parts.push_back({std::ssize(lists_.items), 0, 0, -1, -1});
        lists_.work_before.push_back(work_);
        if (shape_.small_first && shape_.most_in_streamed_leaf == 0) count_small_leaves();
        return std::move(lists_);
    }
    /// With one to spare: a plan's items are padded.
    void reserve(std::size_t items) { lists_.items.reserve(items + 1); }

  private:
    void count_small_leaves() {
        for (std::size_t p = 0; p + 1 < lists_.parts.size(); ++p)
            for (std::int64_t i = lists_.parts[p].first_item; i < lists_.parts[p + 1].first_item; ++i) {
                item_size const size = size_of(lists_.items[at(i)]);
                if (size != item_size::larger) ++lists_.parts[p].small[static_cast<std::size_t>(size)];
            }
    }
    void add_part(row_range const& r, std::int64_t first_item, std::int32_t split, std::int64_t entries) {
        std::int64_t const rows = r.end_row - r.first_row;
        lists_.parts.push_back({first_item, static_cast<std::uint32_t>(r.first_row), static_cast<std::int32_t>(rows),
                                split, split < 0 ? -1 : lists_.slots++});
        lists_.work_before.push_back(work_);
        work_ += entries + rows;
    }
    /// Several parts of one block. A leaf's entries stay together.
    void add_split(row_range const& r, std::int64_t first) {
        auto const number = static_cast<std::int32_t>(lists_.splits.size());
        plan_split whole{static_cast<std::uint32_t>(r.first_row), static_cast<std::int32_t>(r.end_row - r.first_row),
                         lists_.slots, 0};
        std::int64_t entries = 0;
        for (std::int64_t i = first; i < std::ssize(lists_.items); ++i) {
            std::int64_t const more = lists_.items[at(i)].last - lists_.items[at(i)].first;
            if (entries > 0 && entries + more > shape_.most_entries) {
                add_part(r, first, number, entries);
                first = i;
                entries = 0;
            }
            entries += more;
        }
        add_part(r, first, number, entries);
        whole.slots = lists_.slots - whole.first_slot;
        lists_.splits.push_back(whole);
    }

    /// Large items from `first` on, at entries that loads begin with.
    void cut_items(std::int64_t first) {
        std::vector<listed_leaf> const whole(lists_.items.begin() + first, lists_.items.end());
        lists_.items.resize(at(first));
        for (listed_leaf const& item : whole)
            for (std::int32_t from = item.first; from < item.last;) {
                std::int32_t to = item.last;
                if (item.leaf.reference.is_wide_leaf()) to = std::min(to, from / 4 * 4 + shape_.most_in_item);
                lists_.items.push_back({item.leaf, from, to});
                from = to;
            }
    }

    plan_shape const& shape_;
    int log2_;
    std::int64_t work_ = 0;
    plan_lists lists_;
};

std::vector<std::int64_t> count_entries(std::vector<plan_leaf> const& leaves, std::int64_t row_count, int log2) {
    std::vector<std::int64_t> entries(at((row_count + (std::int64_t{1} << log2) - 1) >> log2));
    for (plan_leaf const& leaf : leaves)
        for_each_block(leaf, log2, [&](std::int64_t block, std::int32_t first, std::int32_t last) {
            entries[at(block)] += last - first;
        });
    return entries;
}

/// Small blocks of rows are joined with those behind them.
std::vector<row_range> form_ranges(std::vector<std::int64_t> const& entries, plan_shape const& shape,
                                   std::int64_t row_count, int log2) {
    std::vector<row_range> ranges;
    std::int64_t const blocks = std::ssize(entries);
    for (std::int64_t first = 0; first < blocks;) {
        std::int64_t sum = entries[at(first)], last = first + 1;
        for (; last < blocks; ++last) {
            sum += entries[at(last)];
            if ((last + 1 - first) << log2 > shape.most_rows || sum > shape.join_entries) break;
        }
        ranges.push_back({first << log2, std::min(last << log2, row_count)});
        first = last;
    }
    return ranges;
}

/// What `lists` were built from.
std::vector<row_range> ranges_of(plan_lists const& lists) {
    std::vector<row_range> ranges;
    for (std::int64_t i = 0; i < lists.part_count(); ++i) {
        plan_part const& part = lists.parts[at(i)];
        bool const more_of_a_split = i > 0 && part.split >= 0 && lists.parts[at(i - 1)].split == part.split;
        if (!more_of_a_split)
            ranges.push_back({part.first_row, std::int64_t{part.first_row} + part.rows, part.first_item, 0});
        ranges.back().end_item = lists.parts[at(i + 1)].first_item;
    }
    return ranges;
}

}  // namespace

plan_lists arrange(std::vector<plan_leaf> leaves, plan_shape const& shape, std::int64_t row_count, int log2) {
    auto const before = [](plan_leaf const& a, plan_leaf const& b) {
        return storage_key(a.leaf) < storage_key(b.leaf);
    };
    if (!std::is_sorted(leaves.begin(), leaves.end(), before)) std::sort(leaves.begin(), leaves.end(), before);
    std::vector<row_range> ranges = form_ranges(count_entries(leaves, row_count, log2), shape, row_count, log2);
    range_map const map(ranges, log2);
    // Stably by range: within each the leaves stay in the order in which they are stored.
    for (plan_leaf const& leaf : leaves)
        map.for_each_item(leaf, [&](std::int32_t r, listed_leaf const&) { ++ranges[at(r)].end_item; });
    std::int64_t count = 0;
    for (row_range& r : ranges) {
        std::int64_t const own = r.end_item;
        r.first_item = r.end_item = count;
        count += own;
    }
    std::vector<listed_leaf> items(at(count));
    for (plan_leaf const& leaf : leaves)
        map.for_each_item(leaf,
                          [&](std::int32_t r, listed_leaf const& item) { items[at(ranges[at(r)].end_item++)] = item; });
    list_builder lists(shape, log2);
    lists.reserve(items.size());
    for (row_range const& r : ranges)
        lists.add(r, std::span(items).subspan(at(r.first_item), at(r.end_item - r.first_item)));
    return lists.finish();
}

plan_lists rearrange(plan_lists const& old, std::vector<node> const& removed, std::vector<plan_leaf> added,
                     plan_shape const& shape, int log2) {
    std::vector<row_range> const ranges = ranges_of(old);
    range_map const map(ranges, log2);
    // What is to be taken from each range, and given to it.
    std::vector<std::vector<node>> gone(ranges.size());
    std::vector<std::vector<listed_leaf>> come(ranges.size());
    auto const rows_of = [&](node const& n) { return std::int64_t{1} << (log2 * (n.reference.level() + 1)); };
    for (node n : removed) {
        std::int64_t const rows = rows_of(n);
        for (std::int64_t row = n.row; row < std::min(n.row + rows, ranges.back().end_row);) {
            std::int32_t const r = map.of_block(row >> log2);
            gone[at(r)].push_back(n);
            row = ranges[at(r)].end_row;
        }
    }
    for (plan_leaf const& leaf : added)
        map.for_each_item(leaf, [&](std::int32_t r, listed_leaf const& item) { come[at(r)].push_back(item); });

    list_builder lists(shape, log2);
    lists.reserve(old.items.size() + added.size());
    std::vector<listed_leaf> own;
    for (std::size_t r = 0; r < ranges.size(); ++r) {
        auto const items =
            std::span(old.items).subspan(at(ranges[r].first_item), at(ranges[r].end_item - ranges[r].first_item));
        if (gone[r].empty() && come[r].empty()) {
            lists.add(ranges[r], items);
            continue;
        }
        own = come[r];
        std::copy_if(items.begin(), items.end(), std::back_inserter(own), [&](listed_leaf const& item) {
            return std::none_of(gone[r].begin(), gone[r].end(), [&](node const& n) {
                return n.reference == item.leaf.reference && n.column == item.leaf.column && n.row <= item.leaf.row &&
                       item.leaf.row < n.row + rows_of(n);
            });
        });
        std::sort(own.begin(), own.end(),
                  [](listed_leaf const& a, listed_leaf const& b) { return storage_key(a.leaf) < storage_key(b.leaf); });
        lists.add(ranges[r], own);
    }
    return lists.finish();
}

}  // namespace copse::detail
