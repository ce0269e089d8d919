// What commands that compute something say to people about how it went.
#pragma once

#include <cstdint>
#include <string>

#include "cli/measurement.hpp"
#include "cli/text.hpp"

namespace copse::cli {

/// "A.mtx: 2 x 3, 3 entries"
std::string shape_text(std::string const& name, std::int64_t rows, std::int64_t columns, std::int64_t entries);

/// Adds the rows "format" to "check" to a table of two columns. `entries`: that are stored in m.bytes.
/// fallback_reason: why auto took no GPU; empty where it did, or was not asked.
void add_execution_rows(measure::table& t, measure::measurement const& m, std::int64_t entries,
                        std::string const& fallback_reason);

/// The error for a result that is not right; `output` is the file that was to be written, or empty.
std::string wrong_result(measure::measurement const& m, std::string const& output);

}  // namespace copse::cli
