// A leaf is asked into L2 before a worker comes to it. The leaf's reference tells how many bytes it has at least, and
// these are asked for: the whole leaf, or all but its streaks' values. The exact size stands in the leaf's header, and
// to read that would be to wait for it.
//
// By one lane. A GPU takes 5.9 such requests in a nanosecond, however short they are. Stretches of wide leaves go
// without: four requests each, and products take 0.97 to 1.00 of the time (an H200; bench/results/gpu.md).
#pragma once

#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Items of fewer bytes come as they are read.
inline constexpr std::int64_t least_fetched_bytes = 2048;

/// By one lane.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void fetch_item(node_reader const& tree, listed_leaf const& item, Worker& w) {
    if (item.leaf.reference.is_wide_leaf() || item.leaf.reference.values_once()) return;
    std::int64_t const bytes = least_leaf_bytes(item.leaf.reference, tree.dimension(), sizeof(T));
    if (bytes >= least_fetched_bytes) w.fetch_stream(tree.address(item.leaf.reference), bytes);
}

}  // namespace copse::detail
