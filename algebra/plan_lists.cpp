#include <algorithm>
#include <copse/algebra/plan_lists.hpp>
#include <tuple>

namespace copse::detail {
namespace {

/// Where it is stored: neighbours are read one after the other.
auto storage_key(plan_item const& item) {
    child_reference const r = item.leaf.reference;
    return std::tuple(r.arena(), r.offset(), item.first, item.leaf.row, item.leaf.column);
}

bool stored_before(plan_item const& a, plan_item const& b) {
    return storage_key(a) < storage_key(b);
}

class arranger {
  public:
    arranger(std::vector<plan_item>& items, plan_shape const& shape, std::int64_t row_count, int log2)
        : items_(items), shape_(shape), row_count_(row_count), log2_(log2) {}

    plan_lists arrange() {
        sort_by_block();
        std::int64_t const blocks = static_cast<std::int64_t>(block_begin_.size()) - 1;
        for (std::int64_t block = 0; block < blocks;)
            block = entries_in(block) > shape_.most_entries ? split(block) : join(block);
        lists_.parts.push_back({static_cast<std::int64_t>(items_.size()), 0, 0, -1, -1});
        lists_.work_before.push_back(work_);
        lists_.items = std::move(items_);
        return std::move(lists_);
    }

  private:
    std::int64_t block_of(plan_item const& item) const { return item.leaf.row >> log2_; }

    /// By storage, then stably by block of rows.
    void sort_by_block() {
        if (!std::is_sorted(items_.begin(), items_.end(), stored_before))
            std::sort(items_.begin(), items_.end(), stored_before);
        std::int64_t const d = std::int64_t{1} << log2_;
        block_begin_.assign(static_cast<std::size_t>((row_count_ + d - 1) / d) + 1, 0);
        for (plan_item const& item : items_) ++block_begin_[static_cast<std::size_t>(block_of(item)) + 1];
        for (std::size_t i = 1; i < block_begin_.size(); ++i) block_begin_[i] += block_begin_[i - 1];
        std::vector<std::int64_t> next(block_begin_.begin(), block_begin_.end() - 1);
        std::vector<plan_item> sorted(items_.size());
        for (plan_item const& item : items_)
            sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(block_of(item))]++)] = item;
        items_ = std::move(sorted);
    }
    std::int64_t begin_of(std::int64_t block) const { return block_begin_[static_cast<std::size_t>(block)]; }
    plan_item& item(std::int64_t i) { return items_[static_cast<std::size_t>(i)]; }

    std::int64_t entries_in(std::int64_t block) {
        std::int64_t entries = 0;
        for (std::int64_t i = begin_of(block); i < begin_of(block + 1); ++i) entries += entries_of(item(i));
        return entries;
    }
    std::int64_t rows_until(std::int64_t block) const { return std::min(block << log2_, row_count_); }

    void add_part(std::int64_t first_item, std::int64_t first_row, std::int64_t end_row, std::int32_t split,
                  std::int64_t entries) {
        lists_.parts.push_back({first_item, static_cast<std::uint32_t>(first_row),
                                static_cast<std::int32_t>(end_row - first_row), split,
                                split < 0 ? -1 : lists_.slots++});
        lists_.work_before.push_back(work_);
        work_ += entries + (end_row - first_row);
    }

    /// One part of this block and of those behind it, while they are small; returns the block after.
    std::int64_t join(std::int64_t first) {
        std::int64_t const blocks = static_cast<std::int64_t>(block_begin_.size()) - 1;
        std::int64_t entries = entries_in(first), last = first + 1;
        for (; last < blocks; ++last) {
            std::int64_t const more = entries_in(last);
            bool const fits = (last + 1 - first) << log2_ <= shape_.most_rows && entries + more <= shape_.join_entries;
            if (!fits) break;
            entries += more;
        }
        auto const begin = items_.begin() + begin_of(first), end = items_.begin() + begin_of(last);
        std::sort(begin, end, stored_before);
        add_part(begin_of(first), rows_until(first), rows_until(last), -1, entries);
        return last;
    }

    /// Several parts of this block.
    std::int64_t split(std::int64_t block) {
        auto const number = static_cast<std::int32_t>(lists_.splits.size());
        plan_split const whole{static_cast<std::uint32_t>(rows_until(block)),
                               static_cast<std::int32_t>(rows_until(block + 1) - rows_until(block)), lists_.slots, 0};
        std::int64_t first = begin_of(block), entries = 0;
        for (std::int64_t i = first; i < begin_of(block + 1); ++i) {
            std::int64_t const more = entries_of(item(i));
            if (entries > 0 && entries + more > shape_.most_entries) {
                add_part(first, rows_until(block), rows_until(block + 1), number, entries);
                first = i;
                entries = 0;
            }
            entries += more;
        }
        add_part(first, rows_until(block), rows_until(block + 1), number, entries);
        lists_.splits.push_back(whole);
        lists_.splits.back().slots = lists_.slots - whole.first_slot;
        return block + 1;
    }

    std::vector<plan_item>& items_;
    plan_shape const& shape_;
    std::int64_t row_count_;
    int log2_;
    std::vector<std::int64_t> block_begin_;  // of each block's items
    std::int64_t work_ = 0;
    plan_lists lists_;
};

}  // namespace

std::int64_t entries_of(plan_item const& item) {
    return item.leaf.reference.kind() == node_kind::wide ? item.last - item.first : item.leaf.reference.entries();
}

plan_lists arrange(std::vector<plan_item> items, plan_shape const& shape, std::int64_t row_count, int log2) {
    return arranger(items, shape, row_count, log2).arrange();
}

}  // namespace copse::detail
