// Additions of the lanes of a warp to memory on chip, without atomic operations: where several lanes want the same
// element the lower one goes first, so that the order is always the same.
#pragma once

#include <copse/runtime/config.hpp>

namespace copse::detail {

/// sums[i] += value; lanes with i < 0 have nothing to add. `lanes`: a worker of up to 32 lanes, or a worker's warp();
/// nobody else adds to these sums meanwhile. Collective over `lanes`; all see what was added afterwards.
///
/// On a GPU an atomic addition to floating-point numbers in shared memory is a loop of loads and compare-and-swaps.
template <class Sums, class V, class Lanes>
COPSE_HOST_DEVICE COPSE_INLINE void add_in_order(Sums const& sums, int i, V value, Lanes const& lanes) {
    if constexpr (Lanes::size() == 1) {
        if (i >= 0) sums[i] += value;
    } else {
        int const turn = lanes.earlier_with(i);
        for (int round = 0, more = true; more; ++round) {  // one, where no two want the same element
            if (i >= 0 && turn == round) sums[i] += value;
            lanes.sync();
            more = lanes.any(i >= 0 && turn > round);
        }
    }
}

}  // namespace copse::detail
