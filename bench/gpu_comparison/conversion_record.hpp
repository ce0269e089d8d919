// One measured conversion on a GPU.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "bench/gpu_comparison/session.hpp"

namespace copse::bench {

/// What is done with a HiSparse matrix behind its conversion, by name.
/// In the records, for people, and how often each is timed at most: three times where most of it is the host's work.
struct follow_up_name {
    char const* key;
    char const* text;
    int most_repeats;
};
inline constexpr std::array follow_up_names{
    follow_up_name{"values", "new values", 9},     // with_values(): the places known, in `peak_bytes` the first time
    follow_up_name{"edit", "edit", 3},             // of a thousand entries, or all of fewer
    follow_up_name{"update", "plan's update", 3},  // with that edit
    follow_up_name{"prune", "prune", 9},           // every other entry being zero
    follow_up_name{"compact", "compaction", 3}};   // through the host, whoever the controller is: once

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
    std::map<std::string, follow_up> after;  // by the key, those that were measured
    std::string failure;
    bool is_refused = false;

    bool has_times() const { return failure.empty() && is_right && seconds > 0; }
};

std::string json_line(conversion_record const& r, gpu_session const& session);

}  // namespace copse::bench
