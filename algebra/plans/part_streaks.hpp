// The streaks of a part that have one value each, across its leaves, for a CPU: what goes on in the next leaf with the
// same value is one streak, as long as the part has rows, and the leaves are not read any more.
//
//   leaves     | a a a a | a a . . |          part     two streaks of a, two of b; neighbours in the list have most of
//              | . b b b | b b b b |                   their rows in common, and are added together
//                                                      (cpu/leaves/one_value_streaks-inl.hpp)
#pragma once

#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

template <class T>
struct part_streaks {
    std::vector<streak_range_of_part> parts;  // as many as the lists have; empty where no part has any
    std::vector<plan_streak<T>> streaks;
};

/// Of the items for which goes_by_streaks() holds, in parts where they take fewer bytes so. tree: of the host. Parallel
/// (OpenMP).
template <class T>
part_streaks<T> find_part_streaks(node_reader const& tree, plan_lists const& lists);

}  // namespace copse::detail
