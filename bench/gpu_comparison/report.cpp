// The tables of bench/gpu's summary, from what its stages left: copse_gpu_report benchmarks.jsonl [ncu.csv]
//
// Needs no GPU. What is not there has no table.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "bench/gpu_comparison/report_tables.hpp"
#include "bench/harness/options.hpp"

namespace copse::bench {
namespace {

std::string report(std::string const& measurements, std::string const& kernels) {
    auto const all = read_measured(measurements);
    std::string text =
        setting_text(all) + left_out_text(count_matrices(measurements)) + goal_table(all) + failure_list(all) +
        comparison_tables(all, "spmv", "Products") + comparison_tables(all, "addition", "Sums") +
        comparison_tables(all, "large", "Large products and sums, made and checked on the GPU") + plan_table(all) +
        controller_table(all) + overhead_table(all) + paper_tables(all) + conversion_summary(all) + memory_table(all);
    if (!kernels.empty() && std::filesystem::exists(kernels)) text += kernel_table(kernels);
    return text;
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        fmt::print(stderr, "usage: copse_gpu_report benchmarks.jsonl [ncu.csv]\n");
        return 2;
    }
    try {
        copse::bench::cli::print(copse::bench::report(argv[1], argc > 2 ? argv[2] : ""));
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_gpu_report: error: {}\n", e.what());
        return 1;
    }
}
