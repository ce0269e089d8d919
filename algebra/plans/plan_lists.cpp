#include <algorithm>
#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/formats/leaves/entry_search.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>

namespace copse::detail {
namespace {

std::size_t at(std::int64_t i) {
    return static_cast<std::size_t>(i);
}

/// By where they are stored: neighbours are read one after the other. Pieces of a wide leaf stay together.
void sort_by_storage(std::span<listed_leaf> items, int log2) {
    auto const stored = [](listed_leaf const& item) { return stored_key(item.leaf.reference); };
    auto const placed = [&](listed_leaf const& item) {
        node const& n = item.leaf;
        auto const in_leaf = n.reference.is_wide_leaf() ? static_cast<std::uint32_t>(row_in_leaf(item, log2)) : 0;
        return std::tuple(n.row - in_leaf, n.column, item.first);
    };
    std::sort(items.begin(), items.end(), [&](listed_leaf const& a, listed_leaf const& b) {
        std::uint64_t const of_a = stored(a), of_b = stored(b);
        return of_a != of_b ? of_a < of_b : placed(a) < placed(b);
    });
}

/// f(item): each for the entries of a leaf in one block of rows.
template <class F>
void for_each_piece(plan_leaf const& leaf, int log2, F f) {
    if (!leaf.rows) return f(listed_leaf{leaf.leaf, 0, leaf.entries});
    for (std::int32_t first = 0, last; first < leaf.entries; first = last) {
        int const block = leaf.rows[first] >> log2;
        last = lower_bound_near(first + 1, leaf.entries, block + 1, [&](int k) { return leaf.rows[k] >> log2; });
        node place = leaf.leaf;
        place.row += static_cast<std::uint32_t>(block) << log2;
        f(listed_leaf{place, first, last});
    }
}

/// Pieces of leaves, as they are stored, which belong to one range: those of a leaf become one item. Returns how
/// many there are then, at the beginning.
std::int64_t join_pieces(std::span<listed_leaf> pieces) {
    std::size_t kept = 0;
    for (listed_leaf const& piece : pieces) {
        listed_leaf* const last = kept > 0 ? &pieces[kept - 1] : nullptr;
        bool const goes_on = last && last->leaf.reference == piece.leaf.reference && last->last == piece.first &&
                             last->leaf.column == piece.leaf.column;
        if (goes_on)
            last->last = piece.last;
        else
            pieces[kept++] = piece;
    }
    return static_cast<std::int64_t>(kept);
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
    std::int32_t of_row(std::int64_t row) const { return of_block_[at(row >> log2_)]; }

  private:
    int log2_;
    std::vector<std::int32_t> of_block_;
};

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
        if (shape_.by_distance)
            std::stable_sort(own, lists_.items.end(), [&](auto const& a, auto const& b) {
                return distance_of(a, log2_) < distance_of(b, log2_);
            });
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

/// The pieces of all leaves, in any order. Parallel (OpenMP).
std::vector<std::vector<listed_leaf>> pieces_of(std::vector<plan_leaf> const& leaves, int log2) {
    std::int64_t const together = std::clamp<std::int64_t>(std::ssize(leaves) / 64, 1, 256);  // wide ones are few
    std::vector<std::vector<listed_leaf>> pieces(at((std::ssize(leaves) + together - 1) / together));
    parallel_for(std::ssize(pieces), 1, [&](std::int64_t i) {
        auto& own = pieces[at(i)];
        own.reserve(static_cast<std::size_t>(together));
        std::int64_t const last = std::min(std::ssize(leaves), (i + 1) * together);
        for (std::int64_t k = i * together; k < last; ++k)
            for_each_piece(leaves[at(k)], log2, [&](listed_leaf const& piece) { own.push_back(piece); });
    });
    return pieces;
}

std::vector<std::int64_t> count_entries(std::vector<std::vector<listed_leaf>> const& pieces, std::int64_t row_count,
                                        int log2) {
    std::vector<std::int64_t> entries(at((row_count + (std::int64_t{1} << log2) - 1) >> log2));
    for (auto const& some : pieces)
        for (listed_leaf const& piece : some) entries[at(piece.leaf.row >> log2)] += piece.last - piece.first;
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

plan_lists arrange(std::vector<plan_leaf> const& leaves, plan_shape const& shape, std::int64_t row_count, int log2) {
    auto const pieces = pieces_of(leaves, log2);
    std::vector<row_range> ranges = form_ranges(count_entries(pieces, row_count, log2), shape, row_count, log2);
    range_map const map(ranges, log2);
    for (auto const& some : pieces)
        for (listed_leaf const& piece : some) ++ranges[at(map.of_row(piece.leaf.row))].end_item;
    std::int64_t count = 0;
    for (row_range& r : ranges) {
        std::int64_t const own = r.end_item;
        r.first_item = r.end_item = count;
        count += own;
    }
    std::vector<listed_leaf> items(at(count));
    for (auto const& some : pieces)
        for (listed_leaf const& piece : some) items[at(ranges[at(map.of_row(piece.leaf.row))].end_item++)] = piece;
    auto const items_of = [&](row_range const& r) {
        return std::span(items).subspan(at(r.first_item), at(r.end_item - r.first_item));
    };
    parallel_for(std::ssize(ranges), 4, [&](std::int64_t r) {
        std::span<listed_leaf> const own = items_of(ranges[at(r)]);
        sort_by_storage(own, log2);
        ranges[at(r)].end_item = ranges[at(r)].first_item + join_pieces(own);
    });
    list_builder lists(shape, log2);
    lists.reserve(items.size());
    for (row_range const& r : ranges) lists.add(r, items_of(r));
    return lists.finish();
}

plan_lists rearrange(plan_lists const& old, std::vector<node> const& removed, std::vector<plan_leaf> const& added,
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
            std::int32_t const r = map.of_row(row);
            gone[at(r)].push_back(n);
            row = ranges[at(r)].end_row;
        }
    }
    for (plan_leaf const& leaf : added)
        for_each_piece(leaf, log2,
                       [&](listed_leaf const& piece) { come[at(map.of_row(piece.leaf.row))].push_back(piece); });

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
        sort_by_storage(own, log2);
        lists.add(ranges[r], std::span(own).first(at(join_pieces(own))));
    }
    return lists.finish();
}

}  // namespace copse::detail
