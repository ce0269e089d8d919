// What `copse spmv` says to people.
#pragma once

#include <string>

#include "cli/measurement.hpp"

namespace copse::cli {

/// The part of the help behind the options.
std::string spmv_footer();

/// A measurement as a table. fallback_reason: why auto took no GPU; empty where it did, or was not asked.
/// format_reason: why auto took the format; empty where it was not asked.
std::string spmv_text(measure::measurement const& m, std::string const& fallback_reason,
                      std::string const& format_reason);

}  // namespace copse::cli
