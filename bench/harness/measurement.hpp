// The record of one measured product or sum: what was computed how, how long it took, whether it was right.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace copse::bench {

template <class T>
constexpr char const* type_name = sizeof(T) == 4 ? "float" : "double";

/// What a sum has beside A. The names in the JSON object are in comments.
struct second_operand {
    std::string matrix;        // "matrix_b": a file or a generator
    bool transpose = false;    // "transpose_b"
    std::int64_t rows = 0;     // "rows_b": of B as stored
    std::int64_t columns = 0;  // "cols_b"
    std::int64_t entries = 0;  // "entries_b"
    std::int64_t result_entries = 0;
    std::int64_t result_bytes = 0;  // that the sum takes in the format
};

/// The order is that of the JSON object, the names are its names unless a comment says otherwise.
struct measurement {
    std::string op = "spmv";  // or add, spmm
    bool transpose = false;   // of A
    std::string matrix;       // A: a file or a generator
    std::string format;       // hisparse, csr, csr-of-transpose, or the name of another library
    std::string on;           // cpu, gpu, emulated
    std::optional<std::string> controller;
    std::string type;          // double, float; mixed: a float matrix beside double vectors
    int threads = 1;           // of the CPU
    std::int64_t rows = 0;     // of A as stored
    std::int64_t columns = 0;  // "cols"
    std::int64_t entries = 0;
    std::int64_t bytes = 0;              // that A takes in this format, or A and B
    std::int64_t moved_bytes = 0;        // bytes, and x and y; of a sum: bytes and result_bytes, without what the three
                                         // matrices share
    double convert_seconds = 0;          // from CSR, placement in the executor's memory included
    double seconds = 0;                  // median of the repeats; of the first run where there are none
    std::optional<double> plan_seconds;  // to plan or tune, behind the conversion; none for a one-shot
    double first_seconds = 0;            // of the run before the repeats
    std::string mode = "oneshot";        // or what was done in plan_seconds: plan, tuned, optimized
    std::int64_t csr_moved_bytes = 0;    // what CSR moves for the same; not in the JSON object
    /// The largest |result - reference|, in units of what arithmetic in this type may be off by; at most 1 when right.
    double max_error = 0;
    std::optional<int> node_dimension;  // of HiSparse
    /// Of A, mean over the blocks of d x d that have any, where a benchmark counted them; not in the JSON object.
    std::optional<double> entries_per_block;
    /// Of products that a benchmark compares: the format that auto takes for this one in this mode; not in the JSON
    /// object.
    std::optional<std::string> auto_format;
    std::optional<std::string> tuned_format;  // the same of products from plans: that a trial took (tune())
    /// Of X, in products with several columns.
    std::optional<std::int64_t> vectors;
    int repeats = 0;
    double min_seconds = 0;  // of the repeats
    double max_seconds = 0;
    double spread = 0;                   // distance of the quartiles of the repeats, in units of their median
    std::optional<second_operand> plus;  // of a sum; its fields come last, with entries_per_second behind them

    /// A product multiplies and adds for each entry; a sum multiplies each entry of A and of B, and adds those that
    /// meet.
    std::int64_t operations() const {
        return plus ? 2 * (entries + plus->entries) - plus->result_entries : 2 * entries * vectors.value_or(1);
    }
    double gflops() const { return 1e-9 * static_cast<double>(operations()) / seconds; }
    /// Of A and, in a sum, of B.
    double entries_per_second() const { return static_cast<double>(entries + (plus ? plus->entries : 0)) / seconds; }
    double gbytes_per_second() const { return 1e-9 * static_cast<double>(moved_bytes) / seconds; }
    double csr_gbytes_per_second() const { return 1e-9 * static_cast<double>(csr_moved_bytes) / seconds; }
    bool is_right() const { return max_error <= 1; }
};

/// "A^T x", "A + B^T"
std::string operation_of(measurement const& m);

/// What a race fills in. Records of a CPU are the measurement alone.
struct race_record {
    std::string bench = "spmv";
    measurement m;
    std::string library = "copse";  // copse, cusparse, naive
    std::string variant;            // of cuSPARSE; ours: the format, and plan or the controller's name
    std::string clock;  // wall: around a call that waits; events: between CUDA events around an asynchronous call
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

/// An infinite error becomes the largest double: JSON has no infinity.
nlohmann::ordered_json to_json(measurement const& m);

/// On one line, with its line feed.
std::string json_line(nlohmann::ordered_json const& object);

}  // namespace copse::bench
