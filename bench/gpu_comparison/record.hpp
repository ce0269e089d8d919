// One measured product on a GPU: the record of `copse spmv`, and what the comparison adds to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/gpu_comparison/session.hpp"
#include "bench/harness/measurement.hpp"

namespace copse::bench {

struct gpu_record {
    std::string bench = "spmv";
    measure::measurement m;  // m.seconds by `clock`
    std::string library;     // copse, cusparse, naive
    std::string variant;     // of cuSPARSE; ours: the format, and plan or the controller's name
    std::string clock;       // wall: around a call that waits; events: between CUDA events around an asynchronous call
    bool keeps_transpose = false;           // needs A^T stored beside A
    int sets = 1;                           // of inputs, in turn
    std::optional<double> event_seconds;    // median by events, whatever the clock
    std::optional<double> run_seconds;      // of our one-shots: median of run_report::seconds
    std::optional<double> task_seconds;     // and of what all blocks together spent in tasks
    std::optional<double> batches;          // and of the draws from queues
    std::optional<double> launches;         // and of the kernels started for queues
    std::optional<double> prepare_seconds;  // once per matrix: cuSPARSE's preprocessing, its transposition included
    std::int64_t kept_bytes = 0;            // on the GPU beside A, x and y from call to call: plan, workspace, A^T
    // That preparing took on the GPU at most, what it kept included: a plan's making.
    std::optional<std::int64_t> prepare_peak_bytes;
    std::optional<std::int64_t> peak_bytes;  // that a call took on the GPU beside all these, at most
    std::string failure;                     // why there are no times; empty otherwise
    bool is_refused = false;                 // the failure: a format that does not take this matrix
    std::optional<double> times_cusparse;    // the best of cuSPARSE from A alone, over this one's seconds
    std::optional<double> times_transposed;  // the best of cuSPARSE with A^T stored, over this one's seconds

    /// "cusparse csr 1, preprocess"
    std::string name() const { return library + ' ' + variant; }
    bool has_times() const noexcept { return failure.empty() && m.is_right(); }
    bool is_ours() const noexcept { return library == "copse"; }
};

/// "A^T x", "A + B^T"
std::string operation_of(gpu_record const& r);

/// Sets the ratios of the records of one product of one matrix.
void compare_with_cusparse(std::vector<gpu_record>& records);

/// `copse spmv`'s object with what is above behind it, on one line.
std::string json_line(gpu_record const& record, gpu_session const& session);

/// The line for a matrix that there was no time for; `op` as in the lines of its products, sums or conversions.
std::string left_out_line(std::string const& bench, std::string const& op, std::string const& matrix,
                          std::string const& type);

}  // namespace copse::bench
