// Measurements as tables for people and as JSON lines.
#pragma once

#include <string>
#include <vector>

#include "bench/machine.hpp"
#include "bench/triad.hpp"
#include "cli/measurement.hpp"

namespace copse::bench {

/// The machine, the ceiling, and what the tables' columns mean.
std::string heading(machine const& where, triad_result const& triad);

/// The measurements of one matrix, in the order of `compare`.
std::string matrix_table(std::vector<measure::measurement> const& records, triad_result const& triad);

/// One line for each matrix and type: bytes per entry, and how much faster than CSR HiSparse was, for A x and A^T x.
std::string summary_table(std::vector<measure::measurement> const& records);

/// The JSON object of `copse spmv`, and behind it fraction_of_triad, triad_gbytes_per_second, cpu_model, gpu (null:
/// none), load_average, date, commit.
std::string json_line(measure::measurement const& m, machine const& where, triad_result const& triad);

}  // namespace copse::bench
