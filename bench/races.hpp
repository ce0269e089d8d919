// The records of one race: one product or sum of one matrix in one type, by everybody who took part.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/harness/measurement.hpp"

namespace copse::bench {

/// One-shot products by a csr_matrix: "csr" is the plain CSR.
inline constexpr char const* flat_csr = "csr-matrix";

/// SELL-P with rows sorted by length within windows (SELL-C-sigma).
inline constexpr char const* sorted_sellp = "sellp-sorted";

using race = std::span<measurement const>;

/// The records in parts, each with one matrix, type and operation: those of a race follow one another.
std::vector<race> races_of(std::span<measurement const> records);

/// The fastest that were right, of those that `takes_part` says yes to; null without any.
template <class Predicate>
measurement const* fastest(race all, Predicate const& takes_part) {
    measurement const* best = nullptr;
    for (auto const& m : all)
        if (m.is_right() && takes_part(m) && (best == nullptr || m.seconds < best->seconds)) best = &m;
    return best;
}

/// The fastest other library that was right, or null.
measurement const* fastest_peer(race all);

/// How many times faster `m` was than `other`: "1.25x", or "-" where that is null or one was wrong.
std::string times_faster(measurement const& m, measurement const* other);

}  // namespace copse::bench
