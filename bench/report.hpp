// Measurements as tables for people and as JSON lines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/ceilings.hpp"
#include "bench/machine.hpp"
#include "bench/harness/measurement.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {

/// The machine and the ceilings.
std::string heading(machine const& where, ceilings const& measured);

/// The other libraries that take part, and below them those that do not and why: in additions, or in products.
std::string peer_heading(bool adds);

/// "hisparse d=128", "librsb tuned": format, node dimension, mode.
std::string format_name(measure::measurement const& m);

/// GB/s moved, as a fraction of the triad on the cpu and of the copy on the GPU.
double fraction_of_ceiling(measure::measurement const& m, ceilings const& measured);

/// The measurements of one matrix in one type, in the order of `compare`.
std::string matrix_table(std::vector<measure::measurement> const& records, ceilings const& measured);
/// What its first line and its rows say.
std::string matrix_title(measure::measurement const& m);
measure::table matrix_rows(std::span<measure::measurement const> records, ceilings const& measured);

/// One line for each matrix and type: bytes per entry, and how much faster than CSR HiSparse was, for A x and A^T x.
std::string summary_table(std::vector<measure::measurement> const& records);

/// The JSON object of `copse spmv` or `copse add`, and behind it triad_gbytes_per_second, gpu_copy_gbytes_per_second,
/// fraction_of_ceiling (of the triad on the cpu, of the copy on the GPU), entries_per_block, cpu_model, gpu,
/// load_average, date, commit. What is not there is null.
std::string json_line(measure::measurement const& m, machine const& where, ceilings const& measured);

}  // namespace copse::bench
