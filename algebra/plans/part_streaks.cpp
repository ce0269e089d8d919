#include <algorithm>
#include <bit>
#include <copse/algebra/plans/part_streaks.hpp>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace copse::detail {
namespace {

template <class T>
bool have_equal_bits(T a, T b) {
    return std::bit_cast<value_word<T>>(a) == std::bit_cast<value_word<T>>(b);
}

/// Streaks and single entries of a leaf.
std::int64_t pieces_of_leaf(leaf_shape const& shape) {
    std::int64_t const in_streaks = shape.streak_values == stored_values::each ? shape.in_streaks : shape.streaks;
    return shape.entries - shape.in_streaks + in_streaks;
}

/// The streaks of a part. A streak that begins where another one of the same value ends is joined to it, if it is put
/// after it. Leaves along a diagonal are stored in that order.
template <class T>
class joined_streaks {
  public:
    /// most: calls of put() to come.
    explicit joined_streaks(std::int64_t most)
        : ends_(std::bit_ceil(static_cast<std::size_t>(2 * most)), none), mask_(ends_.size() - 1) {}

    void put(plan_streak<T> const& streak) {
        plan_streak<T>* const before = ending_at(streak.row, streak.column);
        bool const goes_on = before && have_equal_bits(before->value, streak.value);
        if (goes_on)
            before->count += streak.count;
        else
            streaks_.push_back(streak);
        enter(goes_on ? *before : streaks_.back());
    }

    /// Streaks with rows in common are neighbours.
    std::vector<plan_streak<T>> sorted() && {
        std::sort(streaks_.begin(), streaks_.end(), [](plan_streak<T> const& a, plan_streak<T> const& b) {
            return std::tuple(a.row, a.count, a.column) < std::tuple(b.row, b.count, b.column);
        });
        return std::move(streaks_);
    }

  private:
    static constexpr std::uint32_t none = 0xffffffff;

    std::size_t place(std::int32_t row, std::uint32_t column) const {
        std::uint64_t const key = static_cast<std::uint64_t>(column) << 32 | static_cast<std::uint32_t>(row);
        return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> 32) & mask_;
    }
    /// Behind whose last entry (row, column) is; null if there is none. What a streak had as its end before it went on
    /// stays in the table, and is no match.
    plan_streak<T>* ending_at(std::int32_t row, std::uint32_t column) {
        for (std::size_t i = place(row, column); ends_[i] != none; i = (i + 1) & mask_) {
            plan_streak<T>& streak = streaks_[ends_[i]];
            if (streak.row + streak.count == row && streak.column + static_cast<std::uint32_t>(streak.count) == column)
                return &streak;
        }
        return nullptr;
    }
    void enter(plan_streak<T> const& streak) {
        std::size_t i = place(streak.row + streak.count, streak.column + static_cast<std::uint32_t>(streak.count));
        while (ends_[i] != none) i = (i + 1) & mask_;
        ends_[i] = static_cast<std::uint32_t>(&streak - streaks_.data());
    }

    std::vector<plan_streak<T>> streaks_;
    std::vector<std::uint32_t> ends_;  // by a hash of where a streak ends: its number
    std::size_t mask_;
};

/// Of leaves with `most` pieces; single entries are streaks of one.
template <class T>
std::vector<plan_streak<T>> streaks_of(node_reader const& tree, std::span<listed_leaf const> items,
                                       std::uint32_t first_row, std::int64_t most) {
    joined_streaks<T> streaks(most);
    for (listed_leaf const& item : items) {
        auto const leaf = tree.template diagonal_leaf<T>(item.leaf);
        value_sign<T> const sign(item.leaf.reference);
        auto const put = [&](int row, int column, int count, T value) {
            streaks.put({static_cast<std::int32_t>(item.leaf.row - first_row) + row, count,
                         item.leaf.column + static_cast<std::uint32_t>(column), sign(value)});
        };
        for (int i = 0; i < leaf.others.count; ++i)
            put(leaf.others.rows[i], leaf.others.columns[i], 1, leaf.others.values[i]);
        for (leaf_streak<T> const streak : leaf.each_streak())
            if (streak.values.once())
                put(streak.row, streak.column, streak.count, streak.values[0]);
            else
                for (int i = 0; i < streak.count; ++i) put(streak.row + i, streak.column + i, 1, streak.values[i]);
    }
    return std::move(streaks).sorted();
}

}  // namespace

template <class T>
part_streaks<T> find_part_streaks(node_reader const& tree, plan_lists const& lists) {
    std::int64_t const parts = lists.part_count();
    auto const at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    std::vector<std::vector<plan_streak<T>>> of_part(at(parts));
    part_streaks<T> result;
    result.parts.resize(at(parts));
    parallel_for(parts, 4, [&](std::int64_t p) {
        auto const items = std::span(lists.items)
                               .subspan(at(lists.parts[at(p)].first_item),
                                        at(lists.parts[at(p + 1)].first_item - lists.parts[at(p)].first_item));
        auto const end = std::find_if_not(items.begin(), items.end(), goes_by_streaks);
        auto const own = items.first(static_cast<std::size_t>(end - items.begin()));
        if (own.empty()) return;
        std::int64_t bytes = 0, alone = 0;  // entries of streaks that have a value each
        std::int64_t pieces = 0;
        for (listed_leaf const& item : own) {
            leaf_shape const shape = shape_of(item.leaf.reference, tree.address(item.leaf.reference));
            bytes += leaf_bytes(shape, tree.dimension(), sizeof(T)) + static_cast<std::int64_t>(sizeof(listed_leaf));
            if (shape.streak_values == stored_values::each) alone += shape.in_streaks;
            pieces += pieces_of_leaf(shape);
        }
        if (alone * static_cast<std::int64_t>(sizeof(plan_streak<T>)) > bytes) return;
        of_part[at(p)] = streaks_of<T>(tree, own, lists.parts[at(p)].first_row, pieces);
        if (std::ssize(of_part[at(p)]) * static_cast<std::int64_t>(sizeof(plan_streak<T>)) > bytes)
            of_part[at(p)].clear();
        else
            result.parts[at(p)] = {0, static_cast<std::int32_t>(of_part[at(p)].size()),
                                   static_cast<std::int32_t>(own.size())};
    });
    std::int64_t all = 0;
    for (streak_range_of_part& part : result.parts) {
        part.first = all;
        all += part.count;
    }
    if (all == 0) return {};
    result.streaks.resize(at(all));
    parallel_for(parts, 16, [&](std::int64_t p) {
        std::copy(of_part[at(p)].begin(), of_part[at(p)].end(), result.streaks.begin() + result.parts[at(p)].first);
    });
    return result;
}

template part_streaks<float> find_part_streaks(node_reader const&, plan_lists const&);
template part_streaks<double> find_part_streaks(node_reader const&, plan_lists const&);

}  // namespace copse::detail
