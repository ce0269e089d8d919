// The options of commands that say how a matrix in a flat format is made.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "cli/flat_formats.hpp"

namespace copse::cli {

/// Adds them; they fill `options`, which is to live as long as `app`.
void add_flat_options(CLI::App& app, measure::flat_options& options);

/// Those alone that change how many bytes a matrix takes.
void add_size_options(CLI::App& app, measure::flat_options& options);

/// Throws argument_error where an option was given that does not belong to `format`.
void check_flat_options(CLI::App const& app, std::string const& format);

/// What the library says of a matrix in a flat format, with these options' names in place of its own.
std::string with_option_names(std::string message);

}  // namespace copse::cli
