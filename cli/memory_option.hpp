// --memory, of every command that has it.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/target.hpp"

namespace copse::cli {

/// The option; `what` takes memory: "one product".
void add_memory_option(CLI::App& app, bool& memory, std::string const& what);

/// Throws argument_error on a GPU: this stage of bench/gpu tells of its memory.
void check_memory_option(bool memory, measure::target const& where, std::string const& stage);

/// "1.23 MB"; or that this system does not count.
std::string peak_text(std::optional<std::int64_t> const& bytes);

}  // namespace copse::cli
