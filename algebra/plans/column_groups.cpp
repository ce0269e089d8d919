#include <algorithm>
#include <copse/algebra/plans/column_groups.hpp>
#include <copse/formats/leaves/leaf.hpp>
#include <cstddef>

namespace copse::detail {
namespace {

/// An element of a halo is set to 0, added to, and added to z: five times it goes between cache and memory.
constexpr std::int64_t accesses_of_halo = 5;

/// Behind the columns that the item meets: whole blocks.
std::int64_t end_of_columns(listed_leaf const& item, std::int64_t d) {
    return std::int64_t{item.leaf.column} + (item.leaf.reference.is_wide_leaf() ? d * d : d);
}

/// The longest stretch of a group's columns that no other group meets, within whole blocks of the matrix.
void find_own(std::vector<column_group>& groups, std::size_t g, std::int64_t column_count) {
    column_group& group = groups[g];
    std::int64_t const end = std::min(group.last, column_count);
    group.own_first = group.own_last = group.first;
    for (std::int64_t from = group.first; from < end;) {
        std::int64_t to = end, met_until = from;
        for (std::size_t k = 0; k < groups.size(); ++k) {
            if (k == g) continue;
            if (groups[k].meets(from)) met_until = std::max(met_until, groups[k].last);
            if (groups[k].first > from) to = std::min(to, groups[k].first);
        }
        if (met_until == from && to - from > group.own_last - group.own_first)
            group.own_first = from, group.own_last = to;
        from = std::max(met_until, met_until == from ? to : from);
    }
}

}  // namespace

column_groups find_column_groups(node_reader const& tree, plan_lists const& lists,
                                 std::vector<streak_range_of_part> const& streaks, std::int64_t column_count,
                                 std::int64_t value_bytes, int most_groups) {
    column_groups made;
    std::int64_t const d = tree.dimension(), parts = lists.part_count();
    if (parts == 0 || !lists.splits.empty()) return made;
    auto const& before = lists.work_before;
    std::int64_t part = 0, bytes = 0;
    std::vector<column_group> groups;
    for (int g = 0; g < most_groups; ++g) {
        std::int64_t const wanted = before.back() / most_groups * (g + 1);
        std::int64_t const end =
            g + 1 == most_groups ? parts
                                 : std::lower_bound(before.begin() + part, before.end() - 1, wanted) - before.begin();
        column_group group{part, column_count, 0, 0, 0, 0};
        std::int64_t last = 0;
        for (; part < end; ++part) {
            auto const p = static_cast<std::size_t>(part);
            std::int64_t const first = lists.parts[p].first_item,
                               in_streaks = streaks.empty() ? first : first + streaks[p].items;
            for (std::int64_t i = first; i < lists.parts[p + 1].first_item; ++i) {
                listed_leaf const& item = lists.items[static_cast<std::size_t>(i)];
                child_reference const r = item.leaf.reference;
                group.first = std::min<std::int64_t>(group.first, item.leaf.column);
                last = std::max(last, end_of_columns(item, d));
                if (i < in_streaks) continue;  // not read
                bytes += r.is_wide_leaf() ? (item.last - item.first) * (value_bytes + 4)
                                          : leaf_bytes(shape_of(r, tree.address(r)), d, value_bytes);
            }
            made.ends.push_back(last);
        }
        group.last = last;
        if (last > 0) groups.push_back(group);
    }
    if (groups.empty()) return {};
    std::int64_t const whole_blocks = column_count / d * d;  // products write whole blocks
    for (std::size_t g = 0; g < groups.size(); ++g) find_own(groups, g, whole_blocks);
    std::int64_t halo = 0;
    for (column_group& group : groups) {
        group.first_halo = halo;
        halo += group.halo_columns();
    }
    // What is saved has to be more than what halos cost, and not little beside the vectors: each thread's second
    // product is from the cache, but is not faster for it.
    if (bytes <= (halo * accesses_of_halo + 2 * column_count) * value_bytes) return {};
    groups.push_back({parts, 0, 0, 0, 0, halo});
    made.groups = std::move(groups);
    return made;
}

}  // namespace copse::detail
