// --memory, of every command that has it.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "cli/memory_peak.hpp"
#include "cli/target.hpp"

namespace copse::cli {

/// The option; `what` takes memory: "one product".
void add_memory_option(CLI::App& app, bool& memory, std::string const& what);

/// What measures on `where`, which is borrowed; empty where nobody asked.
measure::memory_probe probe_of(bool memory, measure::target& where);

}  // namespace copse::cli
