// The sub-commands.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace copse::cli {

/// A sub-command that was added to the command line.
struct command {
    CLI::App* app = nullptr;    // knows whether it was named
    std::function<void()> run;  // throws copse::error; prints its result on standard output
};

command add_info(CLI::App& all);
command add_spmv(CLI::App& all);
command add_add(CLI::App& all);
command add_convert(CLI::App& all);
command add_generate(CLI::App& all);

}  // namespace copse::cli
