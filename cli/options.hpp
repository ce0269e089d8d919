// The sub-commands, and what their options have in common. CLI11 is behind it: its headers take as long to compile as a
// sub-command.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/formats.hpp"
#include "cli/target.hpp"

namespace CLI {
class App;
}

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
command add_spy(CLI::App& all);
command add_trace(CLI::App& all);

/// Adds a sub-command without options. footer: what its help ends with.
CLI::App& add_command(CLI::App& all, std::string const& name, std::string const& description,
                      std::string const& footer);
/// Whether the option was given.
bool was_given(CLI::App const& app, std::string const& option);

/// Numbers are decimal, all of the text, within their range. (CLI11's own reading takes 010 for 8 and 1e400 for
/// infinity.) Throws argument_error that names `option` and the range.
std::int64_t parse_whole(std::string_view option, std::string_view text, std::int64_t low, std::int64_t high);
/// inf and nan are numbers; one that T cannot hold is not. Throws argument_error that names `option`.
template <class T>
T parse_real(std::string_view option, std::string_view text);

/// Adds the positional argument `name`, which has to be there.
void add_matrix(CLI::App& app, std::string& matrix, std::string const& name = "matrix");
/// Adds the generator's, which need not.
void add_generator(CLI::App& app, std::string& generator);

enum class presence { optional, required };

/// Adds the positional argument `name`, a file, which has to be there.
void add_input(CLI::App& app, std::string& file, std::string const& name, std::string const& help);

/// Adds an option that is one of `choices`.
void add_choice(CLI::App& app, std::string const& name, std::vector<std::string> const& choices,
                std::string const& help, std::string& choice, presence is = presence::optional);

void add_flag(CLI::App& app, std::string const& name, bool& flag, std::string const& help);
/// Adds the option that names a file.
void add_file(CLI::App& app, std::string const& name, std::string& file, std::string const& help,
              presence is = presence::optional);
void add_factor(CLI::App& app, std::string const& name, std::string& factor, std::string const& help);

// --type, --on, --threads, --memory (`what` takes memory: "one product takes"), --json
void add_type(CLI::App& app, std::string& type);
void add_on(CLI::App& app, std::string& on);
void add_threads(CLI::App& app, int& threads);
void add_memory(CLI::App& app, bool& memory, std::string const& what);
void add_json(CLI::App& app, bool& json);
/// Adds --tune.
void add_tune(CLI::App& app, std::optional<std::int64_t>& products);

/// Adds --trace. what: "one more product".
void add_trace_option(CLI::App& app, std::string& trace, std::string const& what);
/// Throws argument_error if --trace was given and names no file that can be written, or the file `output` or one of
/// `inputs`.
void check_trace_option(CLI::App const& app, std::string const& trace, std::string const& output,
                        std::vector<std::string> const& inputs);

/// Adds the options of flat formats, which fill `options`, that change how many bytes a matrix takes.
void add_size_options(CLI::App& app, format_options& options);
/// Adds these and the others.
void add_flat_options(CLI::App& app, format_options& options);
/// Adds --node-dimension and --values.
void add_tree_options(CLI::App& app, format_options& options);

/// Throws argument_error if an option was given that does not belong to `format`.
void check_format_options(CLI::App const& app, std::string const& format);

/// What the library says of a matrix in a flat format, with the command's options in place of the library's.
std::string with_option_names(std::string message);

/// How a command computes that checks and times what it computes.
struct execution {
    std::string format = "hisparse";
    format_options options;
    target_options where;
    std::string type = "double";
    int repeats = 10;
    bool memory = false;
    bool json = false;
    std::string trace;  // a file; empty: no trace
};

/// Adds the options, which fill `e`. what: "product".
void add_execution(CLI::App& app, execution& e, std::string const& what, std::vector<std::string> const& formats,
                   std::string const& format_help);

/// What the options say together; each on its own is in order. Throws argument_error. Call it before reading `e`.
void check_execution(CLI::App const& app, execution& e);

}  // namespace copse::cli
