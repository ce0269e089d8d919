// Which columns the parts of a plan meet, for a CPU's products that read A once for A x and for A^T w.
//
//   columns of A | only group 0        | both   | only group 1        |     a thread works on a group's parts in order
//   group 0      | x  x  x  x  x  x  x | x  x   |                     |     what it adds to z = A^T w goes to z itself
//   group 1      |                     |   x  x | x  x  x  x  x  x  x |     in its own columns, else to its halo
//
// Halos are added when all groups are done, in their order: the bits of z depend on the number of groups alone.
#pragma once

#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// Columns first .. last - 1, whole blocks of d: the last ones may be behind the matrix's.
struct column_group {
    std::int64_t first_part;  // of the following group: where this one's end
    std::int64_t first;
    std::int64_t last;
    std::int64_t own_first;  // own_first .. own_last - 1: no other group meets them
    std::int64_t own_last;
    std::int64_t first_halo;  // where the sums of the other columns begin among those of all groups

    std::int64_t halo_columns() const { return last - first - (own_last - own_first); }
    /// Of a column that is not an own one, from first_halo on.
    std::int64_t in_halo(std::int64_t column) const {
        return column - first - (column < own_last ? 0 : own_last - own_first);
    }
    bool owns(std::int64_t column) const { return own_first <= column && column < own_last; }
    bool meets(std::int64_t column) const { return first <= column && column < last; }
};

struct column_groups {
    std::vector<std::int64_t> ends;    // of each part: behind the columns that it and its group's earlier parts meet
    std::vector<column_group> groups;  // and one behind them; empty: two products move no more bytes
};

/// At most `groups` groups, of equal work; `streaks` are those of the lists; `tree` reads the host's memory. If several
/// parts share a block of rows (plan_split), there are none.
column_groups find_column_groups(node_reader const& tree, plan_lists const& lists,
                                 std::vector<streak_range_of_part> const& streaks, std::int64_t column_count,
                                 std::int64_t value_bytes, int groups);

}  // namespace copse::detail
