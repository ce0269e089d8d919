#include <algorithm>
#include <copse/algebra/plan_lists.hpp>
#include <tuple>

namespace copse::detail {
namespace {

/// By where they are stored: neighbours are read one after the other.
bool stored_before(plan_leaf const& a, plan_leaf const& b) {
    auto const key = [](node const& n) {
        return std::tuple(n.reference.arena(), n.reference.offset(), n.row, n.column);
    };
    return key(a.leaf) < key(b.leaf);
}

/// f(block of rows, first, last): a leaf's entries first .. last - 1 are in this block.
template <class F>
void for_each_block(plan_leaf const& leaf, int log2, F f) {
    std::int64_t const block = leaf.leaf.row >> log2;
    if (!leaf.rows) return f(block, 0, leaf.entries);
    for (std::int32_t first = 0; first < leaf.entries;) {
        int const in_leaf = leaf.rows[first] >> log2;
        std::int32_t last = first + 1;
        while (last < leaf.entries && leaf.rows[last] >> log2 == in_leaf) ++last;
        f(block + in_leaf, first, last);
        first = last;
    }
}

class arranger {
  public:
    arranger(std::vector<plan_leaf>&& leaves, plan_shape const& shape, std::int64_t row_count, int log2)
        : leaves_(std::move(leaves)), shape_(shape), row_count_(row_count), log2_(log2) {}

    plan_lists arrange() {
        if (!std::is_sorted(leaves_.begin(), leaves_.end(), stored_before))
            std::sort(leaves_.begin(), leaves_.end(), stored_before);
        form_ranges();
        place_items();
        for (range const& r : ranges_) r.is_split ? add_split(r) : add_part(r, r.first_item, -1, r.entries);
        lists_.parts.push_back({std::ssize(lists_.items), 0, 0, -1, -1});
        lists_.work_before.push_back(work_);
        return std::move(lists_);
    }

  private:
    /// Blocks of rows that belong together.
    struct range {
        std::int64_t first_row;
        std::int64_t end_row;
        std::int64_t entries;
        bool is_split;
        std::int64_t first_item;
        std::int64_t end_item;
    };

    static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

    std::vector<std::int64_t> count_entries() const {
        std::vector<std::int64_t> entries(at((row_count_ + (std::int64_t{1} << log2_) - 1) >> log2_));
        for (plan_leaf const& leaf : leaves_)
            for_each_block(leaf, log2_, [&](std::int64_t block, std::int32_t first, std::int32_t last) {
                entries[at(block)] += last - first;
            });
        return entries;
    }
    /// Small blocks are joined with those behind them.
    void form_ranges() {
        std::vector<std::int64_t> const entries = count_entries();
        std::int64_t const blocks = std::ssize(entries);
        range_of_.resize(entries.size());
        for (std::int64_t first = 0; first < blocks;) {
            bool const is_split = entries[at(first)] > shape_.most_entries;
            std::int64_t sum = entries[at(first)], last = first + 1;
            for (; !is_split && last < blocks; ++last) {
                std::int64_t const joined = sum + entries[at(last)];
                if ((last + 1 - first) << log2_ > shape_.most_rows || joined > shape_.join_entries) break;
                sum = joined;
            }
            std::fill(range_of_.begin() + first, range_of_.begin() + last, static_cast<std::int32_t>(ranges_.size()));
            ranges_.push_back({first << log2_, std::min(last << log2_, row_count_), sum, is_split, 0, 0});
            first = last;
        }
    }

    /// f(range, item) for all items, in the order of the leaves.
    template <class F>
    void for_each_item(F f) const {
        for (plan_leaf const& leaf : leaves_) {
            plan_item item{leaf.leaf, 0, 0};
            std::int32_t current = -1;
            for_each_block(leaf, log2_, [&](std::int64_t block, std::int32_t first, std::int32_t last) {
                if (range_of_[at(block)] != current) {
                    if (current >= 0) f(current, item);
                    current = range_of_[at(block)];
                    item.leaf.row = static_cast<std::uint32_t>(block << log2_);
                    item.first = first;
                }
                item.last = last;
            });
            if (current >= 0) f(current, item);
        }
    }
    void place_items() {
        for_each_item([&](std::int32_t r, plan_item const&) { ++ranges_[at(r)].end_item; });
        std::int64_t items = 0;
        for (range& r : ranges_) {
            std::int64_t const count = r.end_item;
            r.first_item = r.end_item = items;
            items += count;
        }
        lists_.items.resize(at(items));
        for_each_item([&](std::int32_t r, plan_item const& item) { lists_.items[at(ranges_[at(r)].end_item++)] = item; });
    }

    void add_part(range const& r, std::int64_t first_item, std::int32_t split, std::int64_t entries) {
        std::int64_t const rows = r.end_row - r.first_row;
        lists_.parts.push_back({first_item, static_cast<std::uint32_t>(r.first_row), static_cast<std::int32_t>(rows),
                                split, split < 0 ? -1 : lists_.slots++});
        lists_.work_before.push_back(work_);
        work_ += entries + rows;
    }
    /// Several parts of one block. A leaf's entries stay together.
    void add_split(range const& r) {
        auto const number = static_cast<std::int32_t>(lists_.splits.size());
        plan_split whole{static_cast<std::uint32_t>(r.first_row), static_cast<std::int32_t>(r.end_row - r.first_row),
                         lists_.slots, 0};
        std::int64_t first = r.first_item, entries = 0;
        for (std::int64_t i = first; i < r.end_item; ++i) {
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

    std::vector<plan_leaf> leaves_;
    plan_shape const& shape_;
    std::int64_t row_count_;
    int log2_;
    std::vector<range> ranges_;
    std::vector<std::int32_t> range_of_;  // each block of rows
    std::int64_t work_ = 0;
    plan_lists lists_;
};

}  // namespace

plan_lists arrange(std::vector<plan_leaf> leaves, plan_shape const& shape, std::int64_t row_count, int log2) {
    return arranger(std::move(leaves), shape, row_count, log2).arrange();
}

}  // namespace copse::detail
