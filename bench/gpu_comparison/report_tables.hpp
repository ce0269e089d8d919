// The tables of summary.md: geometric means over the matrices, of what benchmarks.jsonl has. All are Markdown, and
// empty where nothing was measured for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/gpu_comparison/measured.hpp"

namespace copse::bench {

/// The GPU, its copy bandwidth, cuSPARSE's version.
std::string setting_text(std::vector<measured> const& all);

/// Products and sums of one bench: each competitor beside cuSPARSE, and the fraction of the copy bandwidth.
std::string comparison_tables(std::vector<measured> const& all, std::string const& bench, std::string const& title);

/// Ours: A^T x in the speed of A x, and one-shots in the time of the plan of their format, on matrices of 20 million
/// entries and more.
std::string plan_table(std::vector<measured> const& all);

/// Stages that had no time for some matrices: how many of how many they measured.
std::string left_out_text(std::map<std::string, matrix_count> const& counts);

/// Each goal for one GPU: what was wanted, what was measured over how many matrices, and whether it is met.
std::string goal_table(std::vector<measured> const& all);

/// HiSparse's one-shots under each controller, by matrix, and who was fastest.
std::string controller_table(std::vector<measured> const& all);

/// One-shots: how much of their time is the run's, how many blocks are at work in it, batches and launches.
std::string overhead_table(std::vector<measured> const& all);

/// In products of CSR, of the same run.
std::string conversion_summary(std::vector<measured> const& all);

/// Bytes per entry that operations keep on the GPU and take there at most.
std::string memory_table(std::vector<measured> const& all);

/// Who failed or was wrong, at most twenty of them.
std::string failure_list(std::vector<measured> const& all);

/// HiSparse's Tables 1 and 2 beside ours: mean and standard deviation of milliseconds over the stand-ins.
std::string paper_tables(std::vector<measured> const& all);

/// Of ncu.csv (ncu --csv --page raw): each kernel's launches, time, DRAM traffic and use. Throws error when the file
/// cannot be read.
std::string kernel_table(std::string const& path);

}  // namespace copse::bench
