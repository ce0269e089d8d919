// Measured additions as tables for people.
#pragma once

#include <string>
#include <vector>

#include "bench/ceilings.hpp"
#include "bench/harness/measurement.hpp"

namespace copse::bench {

/// The measurements of one matrix, in the order of `compare_additions`.
std::string addition_table(std::vector<measure::measurement> const& records, ceilings const& measured);

/// For each matrix, type and sum the fastest peer, and how much faster than it each format of ours was; below, the
/// medians of that over all matrices, by type and sum. Empty without peers.
std::string addition_summary(std::vector<measure::measurement> const& records);

}  // namespace copse::bench
