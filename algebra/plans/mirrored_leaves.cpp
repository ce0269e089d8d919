#include <algorithm>
#include <copse/algebra/plans/mirrored_leaves.hpp>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <cstddef>
#include <tuple>
#include <utility>

namespace copse::detail {
namespace {

std::size_t nth(std::int64_t i) {
    return static_cast<std::size_t>(i);
}

/// The same for a leaf and its mirror image, if that is stored once with it.
auto pair_key(listed_leaf const& item) {
    node const& n = item.leaf;
    return std::tuple(stored_key(n.reference), std::min(n.row, n.column), std::max(n.row, n.column));
}

class mirror_finder {
  public:
    mirror_finder(node_reader const& tree, plan_lists const& lists, std::vector<streak_range_of_part> const& streaks,
                  std::int64_t value_bytes)
        : tree_(tree), lists_(lists), streaks_(streaks), value_bytes_(value_bytes), image_(lists.items.size(), none) {}

    mirrored_lists find(int groups) {
        if (!may_gain()) return {};
        find_pairs();
        form_groups(groups);
        for (std::size_t g = 0; g + 1 < made_.groups.size(); ++g) choose_items(g);
        // Else the halos' barrier costs more than is gained.
        if (20 * saved_ < all_bytes_) return {};
        put_items();
        return std::move(made_);
    }

  private:
    static constexpr std::int64_t none = -1;

    /// Items of part p that are not its streaks'.
    std::pair<std::int64_t, std::int64_t> items_of(std::int64_t p) const {
        std::int64_t const in_streaks = streaks_.empty() ? 0 : streaks_[nth(p)].items;
        return {lists_.parts[nth(p)].first_item + in_streaks, lists_.parts[nth(p + 1)].first_item};
    }
    /// Off the diagonal, and no wide leaf. Products write whole blocks of d rows: the matrix's last ones may be fewer.
    bool may_be_mirrored(listed_leaf const& item) const {
        plan_part const& last = lists_.parts[nth(lists_.part_count() - 1)];
        return !item.leaf.reference.is_wide_leaf() && item.leaf.row != item.leaf.column &&
               std::int64_t{std::max(item.leaf.row, item.leaf.column)} + tree_.dimension() <=
                   std::int64_t{last.first_row} + last.rows;
    }
    bool may_gain() const {
        if (!lists_.splits.empty()) return false;
        bool turned = false, stored = false;
        for (listed_leaf const& item : lists_.items)
            if (!item.leaf.reference.is_wide_leaf()) (item.leaf.reference.transposed() ? turned : stored) = true;
        return turned && stored;
    }
    std::int64_t bytes_of(listed_leaf const& item) const {
        child_reference const r = item.leaf.reference;
        return leaf_bytes(shape_of(r, tree_.address(r)), tree_.dimension(), value_bytes_);
    }

    /// For each item above the diagonal its image below.
    void find_pairs() {
        std::vector<std::int64_t> candidates;
        for (std::int64_t p = 0; p < lists_.part_count(); ++p) {
            auto const [first, end] = items_of(p);
            for (std::int64_t i = first; i < end; ++i) {
                all_bytes_ += bytes_of(lists_.items[nth(i)]);
                if (may_be_mirrored(lists_.items[nth(i)])) candidates.push_back(i);
            }
        }
        auto const key = [&](std::int64_t i) { return std::tuple_cat(pair_key(lists_.items[nth(i)]), std::tuple(i)); };
        std::sort(candidates.begin(), candidates.end(), [&](auto i, auto k) { return key(i) < key(k); });
        for (std::size_t k = 0; k + 1 < candidates.size(); ++k) {
            std::int64_t const i = candidates[k], j = candidates[k + 1];
            if (pair_key(lists_.items[nth(i)]) != pair_key(lists_.items[nth(j)])) continue;
            bool const i_is_above = lists_.items[nth(i)].leaf.row < lists_.items[nth(i)].leaf.column;
            image_[nth(i_is_above ? i : j)] = i_is_above ? j : i;
            ++k;
        }
    }

    /// Equal portions of what there is to read when every pair is read once, in the rows of the upper one.
    void form_groups(int groups) {
        std::vector<bool> is_image(lists_.items.size());
        for (std::int64_t const j : image_)
            if (j != none) is_image[nth(j)] = true;
        std::vector<std::int64_t> before{0};
        for (std::int64_t p = 0; p < lists_.part_count(); ++p) {
            std::int64_t work = lists_.parts[nth(p)].rows;
            auto const [first, end] = items_of(p);
            for (std::int64_t i = first; i < end; ++i)
                if (!is_image[nth(i)])
                    work += (lists_.items[nth(i)].last - lists_.items[nth(i)].first) * (image_[nth(i)] == none ? 2 : 3);
            before.push_back(before.back() + work);
        }
        std::int64_t part = 0;
        for (int g = 0; g < groups; ++g) {
            std::int64_t const wanted = before.back() / groups * g;
            part = std::lower_bound(before.begin() + part, before.end() - 1, wanted) - before.begin();
            if (part < lists_.part_count() && (made_.groups.empty() || made_.groups.back().first_part < part))
                made_.groups.push_back({part, lists_.parts[nth(part)].first_row, 0, 0});
        }
        plan_part const& last = lists_.parts[nth(lists_.part_count() - 1)];
        made_.groups.push_back({lists_.part_count(), std::int64_t{last.first_row} + last.rows, 0, 0});
    }

    /// What a group reads once: all pairs within it, and those whose images lie in its halo, which is as long as gains
    /// most.
    void choose_items(std::size_t g) {
        mirrored_group& group = made_.groups[g];
        std::int64_t const end_row = made_.groups[g + 1].first_row;
        std::vector<std::pair<std::int64_t, std::int64_t>> outside;  // behind the image's rows, item
        for (std::int64_t p = group.first_part; p < made_.groups[g + 1].first_part; ++p) {
            auto const [first, end] = items_of(p);
            for (std::int64_t i = first; i < end; ++i) {
                if (image_[nth(i)] == none) continue;
                std::int64_t const image_row = lists_.items[nth(i)].leaf.column;
                if (image_row >= end_row)
                    outside.emplace_back(image_row + tree_.dimension() - end_row, i);
                else
                    saved_ += bytes_of(lists_.items[nth(i)]);
            }
        }
        std::sort(outside.begin(), outside.end());
        std::int64_t bytes = 0, most = 0;
        for (auto const& [rows, i] : outside) {
            bytes += bytes_of(lists_.items[nth(i)]);
            std::int64_t const gain = bytes - rows * halo_accesses * value_bytes_;
            if (gain > most) most = gain, group.halo_rows = rows;
        }
        saved_ += most;
        for (auto const& [rows, i] : outside)
            if (rows > group.halo_rows) image_[nth(i)] = none;
        made_.groups[g + 1].first_halo = group.first_halo + group.halo_rows;
    }

    void put_items() {
        std::vector<bool> is_image(lists_.items.size());
        for (std::int64_t const j : image_)
            if (j != none) is_image[nth(j)] = true;
        std::size_t g = 0;
        for (std::int64_t p = 0; p < lists_.part_count(); ++p) {
            while (made_.groups[g + 1].first_part <= p) ++g;
            plan_part const& part = lists_.parts[nth(p)];
            std::int64_t const own_end = std::int64_t{part.first_row} + part.rows;
            mirrored_part own{std::ssize(made_.items), own_end, false};
            auto const [first, end] = items_of(p);
            for (std::int64_t i = first; i < end; ++i) {
                if (is_image[nth(i)]) continue;
                listed_leaf item = lists_.items[nth(i)];
                if (std::int64_t const j = image_[nth(i)]; j != none) {
                    item.first = first_of_mirrored(item.leaf.reference, lists_.items[nth(j)].leaf.reference);
                    own.end_row = std::max(own.end_row, std::int64_t{item.leaf.column} + tree_.dimension());
                }
                made_.items.push_back(item);
            }
            own.has_images_behind = own.end_row > own_end;
            own.end_row = std::min(own.end_row, made_.groups[g + 1].first_row);
            made_.parts.push_back(own);
        }
        made_.parts.push_back({std::ssize(made_.items), 0, false});
    }

    /// A row of a halo is filled, added to, and added to y: five times an element goes between cache and memory.
    static constexpr std::int64_t halo_accesses = 5;

    node_reader const& tree_;
    plan_lists const& lists_;
    std::vector<streak_range_of_part> const& streaks_;
    std::int64_t value_bytes_;
    std::vector<std::int64_t> image_;  // of an item above the diagonal, below it
    std::int64_t all_bytes_ = 0;
    std::int64_t saved_ = 0;
    mirrored_lists made_;
};

}  // namespace

mirrored_lists find_mirrored_leaves(node_reader const& tree, plan_lists const& lists,
                                    std::vector<streak_range_of_part> const& streaks, std::int64_t value_bytes,
                                    int groups) {
    return lists.part_count() == 0 ? mirrored_lists() : mirror_finder(tree, lists, streaks, value_bytes).find(groups);
}

}  // namespace copse::detail
