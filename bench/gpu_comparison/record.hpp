// The JSON lines of the comparison on a GPU: of products and sums those of `copse spmv` and what the comparison adds,
// of conversions their own. And what a file of such lines has already: programs with --resume do not measure it again.
// A line that is no JSON object is skipped: a program may have died while it wrote one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/gpu_comparison/session.hpp"
#include "bench/harness/measurement.hpp"

namespace copse::bench {

/// Sets the ratios of the records of one product of one matrix.
void compare_with_cusparse(std::vector<race_record>& records);

/// `copse spmv`'s object with what is above behind it, on one line.
std::string json_line(race_record const& record, gpu_session const& session);

/// What is done with a HiSparse matrix behind its conversion: its name in the records and for people, and how often it
/// is timed at most, three times where most of it is the host's work.
struct follow_up_name {
    char const* key;
    char const* text;
    int most_repeats;
};
inline constexpr std::array follow_up_names{
    follow_up_name{"filled_first", "conversion with leaves first", 9},  // conversion_choices
    follow_up_name{"values", "new values", 9},     // with_values(): the places known, in `peak_bytes` the first time
    follow_up_name{"plan", "plan", 9},             // of both directions
    follow_up_name{"edit", "edit", 3},             // of a thousand entries, or all of fewer
    follow_up_name{"update", "plan's update", 3},  // with that edit
    follow_up_name{"prune", "prune", 9},           // every other entry being zero
    follow_up_name{"compact", "compaction", 3}};   // runs on the host, under every controller: measured once

/// What that took.
struct follow_up {
    std::optional<double> seconds = {};
    std::optional<std::int64_t> peak_bytes = {};  // on the GPU at most, the result included
    std::string failure = {};                     // why there are no times
};

struct conversion_record {
    std::string bench;
    std::string matrix;
    std::string type;
    std::string format;
    std::int64_t entries = 0;
    std::int64_t bytes = 0;               // in the format
    bool is_right = false;                // what came back is what went in
    double product_seconds = 0;           // of CSR, in this run: the unit
    double seconds = 0;                   // from the host's rows, the upload included; 0: not measured
    std::optional<double> there_seconds;  // from rows on the GPU
    std::optional<double> back_seconds;   // to rows on the GPU
    // What each took on the GPU at most, its result included.
    std::optional<std::int64_t> peak_bytes, back_peak_bytes;
    std::map<std::string, follow_up> after;  // what was measured, by its key
    std::string failure;
    bool is_refused = false;

    bool has_times() const { return failure.empty() && is_right && seconds > 0; }
};

std::string json_line(conversion_record const& r, gpu_session const& session);

/// The line for a matrix that there was no time for; `op` as in the lines of its products, sums or conversions.
std::string left_out_line(std::string const& bench, std::string const& op, std::string const& matrix,
                          std::string const& type);

/// `op`: spmv or add.
std::string product_key(std::string const& op, std::string const& matrix, std::string const& type, bool transpose,
                        bool transpose_b);
std::string conversion_key(std::string const& matrix, std::string const& type, std::string const& format);

/// product_key or conversion_key of each line of this bench, without lines of what there was no time for. If a matrix
/// is not square, it has no sum A + B^T, which counts as measured with its other sums. Empty without a file.
std::set<std::string> measured_products(std::string const& path, std::string const& bench);

/// How many of these lines are of what failed or was wrong: it is not measured again, and has not become right.
int failures_before(std::string const& path, std::string const& bench);

}  // namespace copse::bench
