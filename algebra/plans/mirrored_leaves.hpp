// Leaves that are stored once and stand at two places that mirror each other, (row, column) and (column, row), mostly
// transposed there or as the negative of the transpose, for a CPU (hisparse_options::share_transposed): such a leaf is
// read once, and adds to both blocks of y.
//
//   rows of y     | group 0                 | group 1              |     a thread works on a group's parts in order
//                 | part | part | part      | part | part          |
//   a leaf of a part adds to its own rows, to later rows of the group, or to the group's halo:
//                 |  x -------> x           |                      |
//                 |               x --------|-> x halo of group 0  |     added when both groups are done
//
// The parts are those of the plan's lists. Which leaves a group reads so is decided by bytes: a row of a halo is
// written and read again.
#pragma once

#include <copse/algebra/plans/part_streaks.hpp>
#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// An item that adds to both blocks of y has a negative `first`: how the leaf is seen differently at the mirrored
/// place.
inline std::int32_t first_of_mirrored(child_reference item, child_reference image) {
    return -1 - (item.transposed() != image.transposed() ? 1 : 0) - (item.negative() != image.negative() ? 2 : 0);
}
inline bool is_mirrored(listed_leaf const& item) {
    return item.first < 0;
}
inline node image_of(listed_leaf const& mirrored) {
    int const state = -1 - mirrored.first;
    return {mirrored.leaf.reference.transposed_if((state & 1) != 0).negative_if((state & 2) != 0), mirrored.leaf.column,
            mirrored.leaf.row};
}

struct mirrored_part {
    std::int64_t first_item;  // of the following part: where this one's end
    std::int64_t end_row;     // behind all that the part adds to in its group
    bool has_images_behind;   // adds to rows behind its own
};

struct mirrored_group {
    std::int64_t first_part;  // of the following group: where this one's end
    std::int64_t first_row;
    std::int64_t halo_rows;   // rows behind the group's last one to which it adds
    std::int64_t first_halo;  // where their sums begin among those of all halos
};

struct mirrored_lists {
    std::vector<listed_leaf> items;      // without those of streaks
    std::vector<mirrored_part> parts;    // and one behind them
    std::vector<mirrored_group> groups;  // and one behind them; empty: nothing is gained
};

/// `streaks` are those of the lists; `tree` reads the host's memory. There are at most `groups` groups, of equal work.
/// If several parts share a block of rows (plan_split), there are none.
mirrored_lists find_mirrored_leaves(node_reader const& tree, plan_lists const& lists,
                                    std::vector<streak_range_of_part> const& streaks, std::int64_t value_bytes,
                                    int groups);

}  // namespace copse::detail
