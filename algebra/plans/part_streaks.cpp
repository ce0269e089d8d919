#include <algorithm>
#include <bit>
#include <copse/algebra/plans/part_streaks.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <span>
#include <tuple>
#include <type_traits>

namespace copse::detail {
namespace {

template <class T>
bool have_equal_bits(T a, T b) {
    using word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return std::bit_cast<word>(a) == std::bit_cast<word>(b);
}

/// Those of the leaves, in any order; single entries are streaks of one.
template <class T>
std::vector<plan_streak<T>> streaks_of(node_reader const& tree, std::span<listed_leaf const> items,
                                       std::uint32_t first_row) {
    std::vector<plan_streak<T>> streaks;
    for (listed_leaf const& item : items) {
        auto const leaf = tree.template diagonal_leaf<T>(item.leaf);
        auto const put = [&](int row, int column, int count, T value) {
            streaks.push_back({static_cast<std::int32_t>(item.leaf.row - first_row) + row, count,
                               item.leaf.column + static_cast<std::uint32_t>(column), value});
        };
        for (int i = 0; i < leaf.others.count; ++i)
            put(leaf.others.rows[i], leaf.others.columns[i], 1, leaf.others.values[i]);
        for (leaf_streak<T> const streak : leaf.each_streak())
            if (streak.values.once())
                put(streak.row, streak.column, streak.count, streak.values[0]);
            else
                for (int i = 0; i < streak.count; ++i) put(streak.row + i, streak.column + i, 1, streak.values[i]);
    }
    return streaks;
}

/// Streaks that continue each other with the same value become one. Then they are sorted by rows, so that streaks with
/// rows in common are neighbours.
template <class T>
void join(std::vector<plan_streak<T>>& streaks) {
    auto const diagonal = [](plan_streak<T> const& s) { return std::int64_t{s.column} - s.row; };
    std::sort(streaks.begin(), streaks.end(), [&](plan_streak<T> const& a, plan_streak<T> const& b) {
        return std::tuple(diagonal(a), a.row) < std::tuple(diagonal(b), b.row);
    });
    std::size_t kept = 0;
    for (plan_streak<T> const& s : streaks) {
        plan_streak<T>* const last = kept > 0 ? &streaks[kept - 1] : nullptr;
        if (last && diagonal(*last) == diagonal(s) && last->row + last->count == s.row &&
            have_equal_bits(last->value, s.value))
            last->count += s.count;
        else
            streaks[kept++] = s;
    }
    streaks.resize(kept);
    std::sort(streaks.begin(), streaks.end(), [](plan_streak<T> const& a, plan_streak<T> const& b) {
        return std::tuple(a.row, a.count, a.column) < std::tuple(b.row, b.count, b.column);
    });
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
        of_part[at(p)] = streaks_of<T>(tree, own, lists.parts[at(p)].first_row);
        join(of_part[at(p)]);
        std::int64_t bytes = 0;
        for (listed_leaf const& item : own)
            bytes += leaf_bytes(shape_of(item.leaf.reference, tree.address(item.leaf.reference)), tree.dimension(),
                                sizeof(T)) +
                     static_cast<std::int64_t>(sizeof(listed_leaf));
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
