// The papers' tables with our columns, as text and as JSON lines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/ceilings.hpp"
#include "bench/machine.hpp"
#include "bench/paper_tables.hpp"
#include "bench/races.hpp"

namespace copse::bench {

/// The tables below, those without rows left out.
std::string paper_report(std::span<paper_result const> results, ceilings const& measured);

/// Liu & Vinter, Table 2; Anzt, Tomov, Dongarra, Table I with Table III's figures: GFLOP/s of each format on each
/// target. Where a format was wrong: how much. Empty without a matrix of the paper's.
std::string csr5_table(std::span<paper_result const> results);
std::string sellp_table(std::span<paper_result const> results);

/// Koza et al.: (5.1), (5.2), eta- and eta+ (6.2) of every matrix, beside the measured gain over CSR. The bandwidth is
/// measured: the triad on the cpu, the copy on a GPU.
std::string cmrs_table(std::span<paper_result const> results, ceilings const& measured);

/// Liu & Vinter, Table 3: of each matrix of its paper CSR5's conversion and speedups, then mean and best of each group
/// and format beside the paper's.
std::string scenario_table(std::span<paper_result const> results);

/// Liu & Vinter, Figure 9.
std::string sigma_table(std::span<paper_result const> results);

/// What paper_report says of one matrix, a line for each: {"op":"spmv", ...} as json_line() has it (report.hpp);
/// {"op":"scenario"} for each format and target, {"op":"sigma"} and {"op":"cmrs-model"} for each target. Where a result
/// was wrong, it has no scenario and no model.
std::vector<std::string> paper_json_lines(paper_result const& result, machine const& where, ceilings const& measured);

/// eta's bandwidth for a record: bytes per second.
double bandwidth_of(measure::measurement const& m, ceilings const& measured);

/// The records of one target and mode: those that are compared with one another.
std::vector<race> races_of(paper_result const& result);

/// The record of a race with this format that was right, or null.
measure::measurement const* find(race all, std::string const& format);

}  // namespace copse::bench
