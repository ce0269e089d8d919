// The record of one measured product or sum: what was computed how, how long it took, whether it was right.
#pragma once

#include <copse/runtime/trace.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cli/target.hpp"

namespace copse::cli {

template <class T>
constexpr char const* type_name = sizeof(T) == 4 ? "float" : "double";

/// What some work takes of memory at most.
struct memory_peak {
    std::optional<std::int64_t> bytes;         // of the host's; none where the system does not count (Linux does)
    std::optional<std::int64_t> device_bytes;  // of a GPU's; none where the executor has the host's

    bool operator==(memory_peak const&) const = default;
};

/// "1.23 MB", or that this system does not count; and what of a GPU's.
std::string peak_text(memory_peak const& most);
/// Adds the fields "peak_bytes", null where the system does not count, and "device_peak_bytes" if there are such.
void add_peak(nlohmann::ordered_json& object, std::string const& prefix, memory_peak const& most);

/// A matrix as it is stored, and whether it is transposed.
struct operand_shape {
    std::string matrix;  // a file or a generator
    bool transpose = false;
    std::int64_t rows = 0;
    std::int64_t columns = 0;  // "cols" in JSON
    std::int64_t entries = 0;

    std::int64_t op_rows() const { return transpose ? columns : rows; }
    std::int64_t op_columns() const { return transpose ? rows : columns; }
};

/// What a sum has beside A.
struct sum_shape {
    operand_shape b;
    std::int64_t result_entries = 0;
    std::int64_t result_bytes = 0;  // that the sum takes in the format
};

/// The fields are those of the JSON object, unless a comment says otherwise; the help of spmv and add explains them.
struct record {
    operand_shape a;
    std::optional<sum_shape> plus;  // of a sum
    std::string format;
    std::string type;
    std::string on;
    std::optional<std::string> controller;
    int threads = 1;
    std::optional<int> node_dimension;
    std::string mode = "oneshot";
    std::int64_t bytes = 0;
    std::int64_t moved_bytes = 0;
    std::int64_t csr_moved_bytes = 0;  // what CSR moves for the same; not in the JSON object
    double convert_seconds = 0;
    std::optional<double> plan_seconds;
    std::optional<double> tune_seconds;
    double first_seconds = 0;
    double seconds = 0;  // of the first run where there are no repeats
    double min_seconds = 0;
    double max_seconds = 0;
    double spread = 0;
    int repeats = 0;
    double max_error = 0;               // at most 1 when right
    std::optional<memory_peak> memory;  // where it was asked for
    std::optional<access_profile> profile;
    // For people: why auto took no GPU, and why it took the format. Empty where it did, or was not asked.
    std::string fallback_reason;
    std::string format_reason;

    bool is_right() const { return max_error <= 1; }
};

/// What is known of a record before anything is measured.
template <class T>
record describe(operand_shape a, std::string format, target const& where) {
    record r;
    r.a = std::move(a);
    r.format = std::move(format);
    r.type = type_name<T>;
    r.on = where.on;
    r.controller = where.controller;
    r.threads = where.threads;
    r.fallback_reason = where.fallback_reason;
    return r;
}

/// An infinite error becomes the largest double: JSON has no infinity.
nlohmann::ordered_json to_json(record const& r);
/// A table for people.
std::string to_text(record const& r);

/// Prints the record; if the result is right, calls write(), which writes it to `output`, unless that is empty. Throws
/// error if the result is wrong.
void report(record const& r, bool as_json, std::string const& output, std::function<void()> const& write);

}  // namespace copse::cli
