// What a run measured, as JSON objects, one a line: on standard output and in the file of --json.
//
//   {"op":"run", ...}       the machine, its ceilings, the libraries to compare with: first
//   {"op":"note", "text"}   why a format or a library takes no part somewhere
//   {"op":"done"}           the records of a matrix are all there
//   {"op":"spmv", ...}      and other records: each mode has its own
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench/ceilings.hpp"
#include "bench/harness/measurement.hpp"
#include "bench/machine.hpp"

namespace copse::bench {

/// Lines are written as soon as they are added.
class json_lines {
  public:
    /// An empty path: no file. Throws argument_error where it cannot be written.
    explicit json_lines(std::string const& path);
    /// Throws error where a line cannot be written.
    void add(nlohmann::ordered_json const& object);
    void add_note(std::string const& text) { add({{"op", "note"}, {"text", text}}); }

  private:
    std::string path_;
    std::ofstream file_;
};

/// {"op":"run", mode, threads, cpu_model, instructions, gpu, load_average, date, commit}, and with ceilings
/// triad_gbytes_per_second, triad_median_gbytes_per_second, triad_array_bytes, gpu_copy_gbytes_per_second.
nlohmann::ordered_json run_object(std::string const& mode, int threads, machine const& where,
                                  std::optional<ceilings> const& measured = {});

/// GB/s: the triad on the cpu, the copy on the GPU.
double ceiling_of(measurement const& m, ceilings const& measured);

/// The JSON object of `copse spmv` or `copse add`, and behind it triad_gbytes_per_second, gpu_copy_gbytes_per_second,
/// fraction_of_ceiling, entries_per_block, auto_format, tuned_format, cpu_model, gpu, load_average, date, commit. What
/// is not there is null.
nlohmann::ordered_json record_object(measurement const& m, machine const& where, ceilings const& measured);

/// null for an empty text.
nlohmann::ordered_json or_null(std::string const& text);

}  // namespace copse::bench
