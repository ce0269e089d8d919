// Files that --trace writes (runtime/trace.hpp says in which format), and the page that `copse trace` makes of one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace copse::cli {

/// A run of a trace, as the page has it: a JavaScript object.
struct run_on_page {
    std::string script;
    std::int64_t batches = 0;
    std::int64_t dropped = 0;  // records and samples
};

/// Reads a file. Throws argument_error if it cannot be read; format_error if it is not a trace that copse has written.
std::vector<run_on_page> read_trace(std::string const& path);

/// The page: one HTML document that loads nothing from elsewhere.
std::string trace_page(std::vector<run_on_page> const& runs);

/// cli/trace_page.html
extern char const* const trace_page_template;

}  // namespace copse::cli
