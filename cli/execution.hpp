// How a command computes: format, type, executor, repeats. Shared by the commands that compute something.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/race.hpp"
#include "cli/target.hpp"

namespace copse::cli {

/// A format that an operation is offered in.
struct format_choice {
    std::string name;
    bool cpu_only = false;            // else every executor
    bool has_node_dimension = false;  // --node-dimension belongs to it
};

/// An operation that is checked and timed.
struct operation {
    std::string name;                    // "product"
    std::vector<format_choice> formats;  // the first is the default
    std::string format_help;             // behind "of A (default ...)"
};

struct execution {
    std::string format;
    measure::target_options where;
    std::string controller;
    std::string type = "double";
    int repeats = 10;
    int node_dimension = 128;
    int seed = 0;
    bool memory = false;
    bool json = false;
};

/// Adds the options, which fill `e`.
void add_execution(CLI::App& app, execution& e, operation const& what);

/// What the options say together; each on its own is in order. Throws argument_error. Call it before reading `e`.
void check_execution(CLI::App const& app, execution& e, operation const& what);

}  // namespace copse::cli
