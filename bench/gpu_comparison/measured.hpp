// The lines of benchmarks.jsonl, read back for the report. A line that is no JSON object is passed over: a program may
// have died while it wrote one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace copse::bench {

/// What follows a conversion.
struct measured_after {
    std::optional<double> conversions;  // its time in that of the conversion from rows there
    std::optional<double> peak_bytes;
};

struct measured {
    std::string bench;      // spmv, addition, large, papers, conversions
    std::string operation;  // "A^T x", "A + B", "convert"
    std::string matrix;
    std::string type;
    std::string library;  // copse, cusparse, naive; empty for conversions
    std::string name;     // with the variant; of a conversion the format
    std::string mode;     // plan, oneshot
    std::int64_t entries = 0;
    std::optional<double> seconds;        // none: it failed, or was wrong
    std::optional<double> event_seconds;  // the same by events
    int sets = 1;                         // of inputs
    std::optional<double> times_cusparse, times_transposed, fraction_of_copy, csr_gbytes_per_second;
    std::optional<double> net_products, back_products;  // of conversions
    std::optional<double> kept_bytes, prepare_peak_bytes, peak_bytes;
    std::optional<double> back_peak_bytes;        // of conversions
    std::map<std::string, measured_after> after;  // of conversions: by the key in follow_up_names
    std::optional<double> run_seconds, task_seconds, batches, launches;  // of one-shots
    std::optional<double> copy_gbytes_per_second;
    std::string gpu, cusparse;
    std::string failure;
    std::string failure_behind;  // of what follows a conversion, which has its times
    bool is_refused = false;

    bool is_ours() const { return library == "copse"; }
    bool is_conversion() const { return operation == "convert"; }
    /// Neither a time nor a reason that is not ours.
    bool has_failed() const { return !seconds && !is_refused && (library != "cusparse" || failure.empty()); }
};

/// Throws error when the file cannot be read.
std::vector<measured> read_measured(std::string const& path);

/// Matrices of one bench, each in one type, once for its products and once for its sums.
struct matrix_count {
    int measured = 0;
    int left_out = 0;  // there was no time for them, in no run so far

    int all() const { return measured + left_out; }
};

/// By bench. Throws error when the file cannot be read.
std::map<std::string, matrix_count> count_matrices(std::string const& path);

/// Of positive numbers; counts those that are there.
class geometric_mean {
  public:
    void add(std::optional<double> const& value);
    int count() const { return count_; }
    /// With `digits` behind the point; empty without values.
    std::string text(int digits) const;
    std::optional<double> value() const;

  private:
    double logarithms_ = 0;
    int count_ = 0;
};

}  // namespace copse::bench
