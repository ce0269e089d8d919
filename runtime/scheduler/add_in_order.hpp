// Additions of the lanes of a warp to memory on chip, without atomic operations, in an order that is always the same.
//
//   lanes   0  1  2  3  4  5      turns    0, 1, 3, 4 | 2, 5           add to their elements: a round for each that
//   meet rows    7  3  7  9  2  3      joined   0 + 2, 1 + 5 | 0, 1, 3, 4   in pairs, until the first has it all, which
//   adds it
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <copse/runtime/scheduler/fold.hpp>
#include <cstdint>
#include <type_traits>

namespace copse::detail {

/// What lanes do that want the same element.
enum class conflicts { in_turns, joined };

/// The sum over the lanes in `peers`, this lane's among them, in the lowest of them; others get a part of it.
/// Collective over `lanes`; each lane's peers have the same peers.
template <class V, class Lanes>
COPSE_HOST_DEVICE COPSE_INLINE V sum_of_peers(V value, std::uint32_t peers, Lanes const& lanes) {
    std::uint32_t const own = 1u << lanes.rank();
    int place = bit_count(peers & (own - 1));  // among those that still have what is theirs
    std::uint32_t above = peers & ~(own | (own - 1));
    while (lanes.any(above != 0)) {
        V const other = lanes.shuffle(value, above != 0 ? lowest_bit(above) : lanes.rank());
        if (above != 0) value += other;
        above &= lanes.lanes_where(place % 2 == 0);  // the others have given theirs away
        place /= 2;
    }
    return value;
}

/// sums[i] += value, or in turns sums[i] = op(sums[i], value); lanes with i < 0 have nothing to add. `lanes`: a worker
/// of up to 32 lanes, or a worker's warp(); nobody else adds to these sums meanwhile. Collective over `lanes`; all see
/// what was added afterwards.
///
/// On a GPU an atomic addition to floating-point numbers in shared memory is a loop of loads and compare-and-swaps.
template <conflicts How = conflicts::in_turns, class Op = plus, class Sums, class V, class Lanes>
COPSE_HOST_DEVICE COPSE_INLINE void add_in_order(Sums const& sums, int i, V value, Lanes const& lanes) {
    if constexpr (Lanes::size() == 1) {
        if (i >= 0) add_one<Op>(sums[i], value);
    } else {
        std::uint32_t const own = 1u << lanes.rank(), same = lanes.lanes_with(i);
        std::uint32_t const peers = i < 0 ? own : same;
        if constexpr (How == conflicts::joined) {
            static_assert(std::is_same_v<Op, plus>);
            V const sum = sum_of_peers(value, peers, lanes);
            if (i >= 0 && (peers & (own - 1)) == 0) sums[i] += sum;
            lanes.sync();
        } else {
            int const turn = bit_count(peers & (own - 1));
            for (int round = 0, more = true; more; ++round) {  // one, where no two want the same element
                if (i >= 0 && turn == round) add_one<Op>(sums[i], value);
                lanes.sync();
                more = lanes.any(turn > round);
            }
        }
    }
}

}  // namespace copse::detail
