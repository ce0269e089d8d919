// What command lines and their output have in common.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace copse::bench {

/// An option that is one of `choices`.
CLI::Option* add_choice(CLI::App& app, std::string const& name, std::string& choice,
                        std::vector<std::string> const& choices, std::string const& help);

/// An option that is some of what `list` holds by default, separated by commas.
CLI::Option* add_list(CLI::App& app, std::string const& name, std::vector<std::string>& list, std::string const& help);

/// An option that holds a whole number from low to high.
CLI::Option* add_whole(CLI::App& app, std::string const& name, int& number, int low, int high, std::string const& help);

/// --node-dimension, one of 64, 128 and 256.
CLI::Option* add_node_dimension(CLI::App& app, int& dimension);

/// --threads
void add_threads(CLI::App& app, int& threads);

/// Prints on standard output. Throws error when that is closed or full.
void print(std::string const& text);

}  // namespace copse::bench
