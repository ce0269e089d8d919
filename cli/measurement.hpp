// The record of one measured product: what was multiplied how, how long it took, whether it was right.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace copse::measure {

template <class T>
constexpr char const* type_name = sizeof(T) == 4 ? "float" : "double";

/// The order is that of the JSON object, the names are its names unless a comment says otherwise.
struct measurement {
    std::string op = "spmv";
    bool transpose = false;
    std::string matrix;  // a file or a generator
    std::string format;  // hisparse, csr, csr-of-transpose
    std::string on;      // cpu, gpu, emulated
    std::optional<std::string> controller;
    std::string type;          // double, float
    int threads = 1;           // of the CPU
    std::int64_t rows = 0;     // of A as stored
    std::int64_t columns = 0;  // "cols"
    std::int64_t entries = 0;
    std::int64_t bytes = 0;              // that A takes in this format
    std::int64_t moved_bytes = 0;        // bytes, x, y, and y once more where it is read
    double convert_seconds = 0;          // from CSR, placement in the executor's memory included
    double seconds = 0;                  // median of the repeats; of the first run where there are none
    std::optional<double> plan_seconds;  // none for a one-shot
    double first_seconds = 0;            // of the run before the repeats
    std::string mode = "oneshot";
    std::int64_t csr_moved_bytes = 0;  // what CSR moves for the same product; not in the JSON object
    /// The largest |y - reference|, in units of what arithmetic in this type may be off by; at most 1 when right.
    double max_error = 0;
    std::optional<int> node_dimension;  // of HiSparse
    int repeats = 0;
    double min_seconds = 0;  // of the repeats
    double max_seconds = 0;
    double spread = 0;  // distance of the quartiles of the repeats, in units of their median

    double gflops() const { return 2e-9 * static_cast<double>(entries) / seconds; }
    double gbytes_per_second() const { return 1e-9 * static_cast<double>(moved_bytes) / seconds; }
    double csr_gbytes_per_second() const { return 1e-9 * static_cast<double>(csr_moved_bytes) / seconds; }
    bool is_right() const { return max_error <= 1; }
};

/// An infinite error becomes the largest double: JSON has no infinity.
nlohmann::ordered_json to_json(measurement const& m);

/// On one line, with its line feed.
std::string json_line(nlohmann::ordered_json const& object);

}  // namespace copse::measure
