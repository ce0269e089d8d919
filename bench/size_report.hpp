// Sizes as tables for people and as JSON lines.
#pragma once

#include <string>
#include <vector>

#include "bench/machine.hpp"
#include "bench/sizes.hpp"

namespace copse::bench {

/// A line for each matrix and type, and what HiSparse saves over all of them, mean and median; below, the goals that
/// were missed, and where the bytes are in these trees. All with one node dimension in `found`.
std::string size_table(std::vector<matrix_sizes> const& all);

/// The JSON object of a matrix and type: {"op":"sizes", matrix, type, rows, cols, entries, entries_per_row, formats,
/// goals, node_dimension, date, commit}; what is per entry is null in a matrix without entries.
std::string size_json_line(matrix_sizes const& sizes, machine const& where);

}  // namespace copse::bench
