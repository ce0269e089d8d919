// Products beside other libraries: who was fastest, as tables, Markdown and pictures.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/ceilings.hpp"
#include "bench/machine.hpp"
#include "bench/plot.hpp"
#include "bench/harness/measurement.hpp"

namespace copse::bench {

/// For each matrix, type and product: the fastest peer, HiSparse, and the best of our formats on the cpu (CSR of A^T
/// does not count: it is a second matrix), each of ours with its speed in times of the fastest peer's; and A^T x by
/// HiSparse in times of the speed of its A x. Below, the geometric means over the matrices. Empty without peers.
std::string peer_summary(std::vector<measure::measurement> const& records);

/// format_table() and auto_summary() (format_report.hpp) under a title.
std::string format_summary(std::vector<measure::measurement> const& records);

/// All tables of a run. notes: a line for each peer that could not take part.
std::string markdown_report(machine const& where, ceilings const& measured,
                            std::vector<measure::measurement> const& records, std::vector<std::string> const& notes);

/// The cpu's competitors in one type, but the flat formats without a plan, over the matrices by how full their blocks
/// are. The speed is that at which CSR would have moved its bytes: one scale for all formats, and those that are
/// smaller than CSR may pass the ceiling.
plot product_plot(std::vector<measure::measurement> const& records, ceilings const& measured, std::string const& type);

/// Writes spmv.md and, for each type that was measured, spmv-double.svg or spmv-float.svg into the folder. Throws error
/// where that fails.
void write_report(std::string const& folder, machine const& where, ceilings const& measured,
                  std::vector<measure::measurement> const& records, std::vector<std::string> const& notes);

}  // namespace copse::bench
