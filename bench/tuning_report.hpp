// Tried sizes as tables for people and as JSON lines.
#pragma once

#include <string>
#include <vector>

#include "bench/machine.hpp"
#include "bench/tuning.hpp"

namespace copse::bench {

/// A table for each format, type and target: a row for each size, a column for each matrix with the seconds in units of
/// the default's, the geometric mean, and on how many matrices it took at most
/// 1.1 times as long as the fastest (CMRS §6.3: as near as possible on as many as possible); below it the best size of
/// those that took part wherever the default did, and what the default loses to it, and the noise.
std::string tuning_report(std::vector<tuning_race> const& races);

/// {"op":"tune", format, matrix, type, on, size, default, seconds (null: too much padding), relative_seconds (in units
/// of the default's), noise (default_again in the same units), bytes, cpu_model, gpu, date, commit}, a line for each
/// size.
std::vector<std::string> tuning_json_lines(tuning_race const& race, machine const& where);

}  // namespace copse::bench
