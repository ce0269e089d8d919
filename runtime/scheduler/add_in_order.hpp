// Additions of the lanes of a warp to memory on chip, without atomic operations, in an order that is always the same.
//
//   lanes   0  1  2  3  4  5      turns    0, 1, 3, 4 | 2, 5           add to their elements: a round for each that
//   meet rows    7  3  7  9  2  3                                         is wanted once more
//
// Joining what lanes want to add to the same element, in pairs by shuffles, takes as long: 0.44 ms for 0.45 on
// circuit:3000000, where most meet, and 1 to 2 % longer elsewhere (an H200; bench/results/gpu.md).
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <copse/runtime/scheduler/fold.hpp>
#include <cstdint>
#include <type_traits>

namespace copse::detail {

/// sums[i] += value, or in turns sums[i] = op(sums[i], value); lanes with i < 0 have nothing to add. `lanes`: a worker
/// of up to 32 lanes, or a worker's warp(); nobody else adds to these sums meanwhile. Collective over `lanes`; all see
/// what was added afterwards.
///
/// On a GPU an atomic addition to floating-point numbers in shared memory is a loop of loads and compare-and-swaps.
///
/// Besides what runtime/worker.hpp says, `lanes` have lanes_alike(i): bit k for each lane k that passed the same i, and
/// perhaps for some with another; all of them get the same answer. A lane with i < 0 gets its own bit. Collective.
template <class Op = plus, class Sums, class V, class Lanes>
COPSE_HOST_DEVICE COPSE_INLINE void add_in_order(Sums const& sums, int i, V value, Lanes const& lanes) {
    if constexpr (Lanes::size() == 1) {
        if (i >= 0) add_one<Op>(sums[i], value);
    } else {
        int const turn = bit_count(lanes.lanes_alike(i) & ((1u << lanes.rank()) - 1));
        for (int round = 0, more = true; more; ++round) {  // one, where no two are alike
            if (i >= 0 && turn == round) add_one<Op>(sums[i], value);
            lanes.sync();
            more = lanes.any(turn > round);
        }
    }
}

}  // namespace copse::detail
