// Our formats beside each other, and whether auto takes the right one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/harness/measurement.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {

/// The groups of goals that a generated matrix counts in: CSR5's "regular" or "irregular", SELL-P's "stencils". None
/// for lp, permutation and uniform, and for files.
std::vector<std::string> goal_groups_of(std::string const& matrix);

/// For each matrix, type and product: the formats on the cpu in one mode ("plan" or "oneshot"), in times of the speed
/// of the fastest peer, or of plain CSR where no peer took part; the fastest of them; what auto takes, and its speed in
/// times of that of the fastest. Below, geometric means, of all matrices and by goal_groups_of(). None where no product
/// has an `auto_format`.
std::optional<measure::table> format_table(std::vector<measure::measurement> const& records, std::string const& mode);

/// "auto: within 10 % of the fastest format in 25 of 28 products from plans", or "28 one-shot products"; empty where no
/// product has an `auto_format`.
std::string auto_summary(std::vector<measure::measurement> const& records, std::string const& mode);

}  // namespace copse::bench
