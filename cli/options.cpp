#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <copse/runtime/error.hpp>
#include <limits>
#include <regex>
#include <utility>

#include "cli/output.hpp"

namespace copse::cli {
namespace {

/// The options of flat formats, and the format that each belongs to.
constexpr std::array<std::pair<char const*, char const*>, 9> belongings{{{"--kernel", "csr"},
                                                                         {"--omega", "csr5"},
                                                                         {"--sigma", "csr5"},
                                                                         {"--slice-rows", "sellp"},
                                                                         {"--row-threads", "sellp"},
                                                                         {"--sorting-window", "sellp"},
                                                                         {"--most-padding-bytes", "sellp"},
                                                                         {"--height", "cmrs"},
                                                                         {"--sorted", "cmrs"}}};

/// As csr_kernel has them.
std::vector<std::string> const kernels{"automatic", "row_split", "vector", "merge_path"};

CLI::Option* take_choice(CLI::App& app, std::string const& name, std::vector<std::string> const& choices,
                         std::string const& help, std::function<void(std::string const&)> const& take) {
    return app.add_option_function<std::string>(name, take, help)
        ->check(CLI::IsMember(choices).description(""))
        ->type_name(CLI::detail::join(choices, "|"));
}

/// Adds an option that is a whole number from low to high.
template <class Number>
void add_whole(CLI::App& app, std::string const& name, Number& number, std::int64_t low, std::int64_t high,
               std::string const& help) {
    auto const read = [&number, name, low, high](std::string const& text) {
        number = static_cast<Number>(parse_whole(name, text, low, high));
    };
    app.add_option_function<std::string>(name, read, help)->type_name("n");
}

/// `--slice-rows` is slice_rows there.
std::string name_in_library(std::string option) {
    option.erase(0, 2);
    std::replace(option.begin(), option.end(), '-', '_');
    return option;
}

}  // namespace

std::int64_t parse_whole(std::string_view option, std::string_view text, std::int64_t low, std::int64_t high) {
    std::int64_t number = 0;
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size() || number < low || number > high) {
        throw argument_error(std::string(option) + ": '" + std::string(text) + "' is not a whole number from " +
                             std::to_string(low) + " to " + std::to_string(high));
    }
    return number;
}

template <class T>
T parse_real(std::string_view option, std::string_view text) {
    auto digits = text;
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    T number = 0;
    auto const [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    auto const fail = [&](std::string const& reason) {
        throw argument_error(std::string(option) + ": '" + std::string(text) + "' is " + reason);
    };
    if ((failure != std::errc{} && failure != std::errc::result_out_of_range) || end != digits.data() + digits.size())
        fail("not a number");
    if (failure != std::errc{})
        fail(std::string("too large or too small for ") + (sizeof(T) == 4 ? "float" : "double"));
    return number;
}

template float parse_real(std::string_view, std::string_view);
template double parse_real(std::string_view, std::string_view);

CLI::App& add_command(CLI::App& all, std::string const& name, std::string const& description,
                      std::string const& footer) {
    auto* const app = all.add_subcommand(name, description);
    app->footer(footer);
    return *app;
}

bool was_given(CLI::App const& app, std::string const& option) {
    return app.count(option) > 0;
}

void add_matrix(CLI::App& app, std::string& matrix, std::string const& name) {
    app.add_option(name, matrix,
                   "a Matrix Market file, plain or gzip, or a generator such as stencil27:96 (copse generate --list)")
        ->required()
        ->type_name("");
}

void add_input(CLI::App& app, std::string& file, std::string const& name, std::string const& help) {
    app.add_option(name, file, help)->required()->type_name("file");
}

void add_generator(CLI::App& app, std::string& generator) {
    app.add_option("generator", generator, "what to make, such as poisson3d:96")->type_name("");
}

void add_choice(CLI::App& app, std::string const& name, std::vector<std::string> const& choices,
                std::string const& help, std::string& choice, presence is) {
    auto* const option = take_choice(app, name, choices, help, [&choice](std::string const& text) { choice = text; });
    option->required(is == presence::required);
}

void add_flag(CLI::App& app, std::string const& name, bool& flag, std::string const& help) {
    app.add_flag(name, flag, help)->disable_flag_override();
}

void add_file(CLI::App& app, std::string const& name, std::string& file, std::string const& help, presence is) {
    app.add_option(name, file, help)->type_name("file")->required(is == presence::required);
}

void add_factor(CLI::App& app, std::string const& name, std::string& factor, std::string const& help) {
    app.add_option(name, factor, help)->type_name("number");
}

void add_type(CLI::App& app, std::string& type) {
    add_choice(app, "--type", {"double", "float"}, "of the values (default double)", type);
}

void add_on(CLI::App& app, std::string& on) {
    add_choice(app, "--on", {"auto", "cpu", "gpu", "emulated"},
               "where (default auto: a GPU that can be used, else the cpu)", on);
}

void add_threads(CLI::App& app, int& threads) {
    int const most = 1024;  // more than any machine has that this runs on; each costs a stack
    add_whole(app, "--threads", threads, 1, most, "CPU threads (default: one for each processor that it may use)");
}

void add_memory(CLI::App& app, bool& memory, std::string const& what) {
    add_flag(app, "--memory", memory, "what " + what + " of the host's memory at most, and of a GPU's");
}

void add_json(CLI::App& app, bool& json) {
    add_flag(app, "--json", json, "print one JSON object on one line");
}

void add_tune(CLI::App& app, std::optional<std::int64_t>& products) {
    add_whole(app, "--tune", products, 1, 1'000'000'000'000,
              "find the format by a trial on the matrix, for so many products");
}

void add_trace_option(CLI::App& app, std::string& trace, std::string const& what) {
    add_file(app, "--trace", trace, "trace " + what + " and write this JSON file: copse trace makes a page of it");
}

void check_trace_option(CLI::App const& app, std::string const& trace, std::string const& output,
                        std::vector<std::string> const& inputs) {
    if (!was_given(app, "--trace")) return;
    check_output(trace, inputs);
    if (!output.empty() && is_same_file(trace, output))
        throw argument_error("--trace and --output name the same file, '" + trace + "'; name another one");
}

void add_size_options(CLI::App& app, format_options& options) {
    auto& csr5 = std::get<csr5_options>(options.flat);
    auto& sellp = std::get<sellp_options>(options.flat);
    auto& cmrs = std::get<cmrs_options>(options.flat);
    auto const most = std::numeric_limits<std::int64_t>::max();
    take_choice(app, "--omega", {"4", "8", "16", "32"},
                "csr5: columns of a tile (default: 32; cpu: as many values as its vectors hold)",
                [&csr5](std::string const& n) { csr5.omega = std::stoi(n); });
    add_whole(app, "--sigma", csr5.sigma, 1, 128, "csr5: rows of a tile (default: by the executor)");
    add_whole(app, "--slice-rows", sellp.slice_rows, 1, 128,
              "sellp: b, rows of a slice, a power of two (default: by the executor)");
    add_whole(app, "--row-threads", sellp.row_threads, 1, 128,
              "sellp: t, a row is padded to a multiple of it, a power of two (default: by the executor)");
    add_whole(app, "--sorting-window", sellp.sorting_window, 1, most,
              "sellp: rows are sorted by length within stretches of so many (default 1)");
    add_whole(app, "--most-padding-bytes", sellp.most_padding_bytes, 0, most,
              "sellp: bytes that padding may take (default: as many as the entries, at least a megabyte)");
    add_whole(app, "--height", cmrs.height, 1, 16, "cmrs: height of strips (default: by the executor)");
}

void add_flat_options(CLI::App& app, format_options& options) {
    auto& csr = std::get<csr_matrix_options>(options.flat);
    auto& cmrs = std::get<cmrs_options>(options.flat);
    add_size_options(app, options);
    take_choice(app, "--kernel", kernels,
                "csr: a lane for each row, 32 lanes for each, or equal shares of rows and entries; on the cpu the "
                "first two are the same (default automatic: by the rows)",
                [&csr](std::string const& name) {
                    csr.kernel =
                        static_cast<csr_kernel>(std::find(kernels.begin(), kernels.end(), name) - kernels.begin());
                });
    take_choice(app, "--sorted", {"yes", "no"},
                "cmrs: entries of a strip in order of columns (default: no; emulated and on a GPU: yes)",
                [&cmrs](std::string const& answer) { cmrs.sorted = answer == "yes"; });
}

void add_tree_options(CLI::App& app, format_options& options) {
    take_choice(app, "--node-dimension", {"64", "128", "256"},
                "d of the HiSparse tree, where one is made (default 128)",
                [&options](std::string const& text) { options.tree.node_dimension = std::stoi(text); });
    take_choice(app, "--values", {"each", "once"},
                "HiSparse stores a value for each entry, or those that repeat in a leaf once (default: by the "
                "executor; cpu: once)",
                [&options](std::string const& text) {
                    options.tree.values = text == "once" ? stored_values::once : stored_values::each;
                });
    take_choice(
        app, "--share", {"nothing", "identical", "transposed", "both"},
        "HiSparse stores once sub-trees that are identical, or each other's transpose or its negative (default: "
        "transposed on the cpu if the matrix's file says symmetric or skew-symmetric, else nothing)",
        [&options](std::string const& text) {
            options.tree.share_identical = text == "identical" || text == "both";
            options.tree.share_transposed = text == "transposed" || text == "both";
        });
}

void check_format_options(CLI::App const& app, std::string const& format) {
    auto const refuse = [&](std::string const& option, std::string const& owner) {
        throw argument_error(option + " belongs to --format " + owner + ", not to " + format);
    };
    for (auto const& [option, owner] : belongings)
        if (app.get_option_no_throw(option) && was_given(app, option) && format != owner) refuse(option, owner);
    for (char const* const option : {"--node-dimension", "--values", "--share"})
        if (was_given(app, option) && format != "hisparse" && format != "auto") refuse(option, "hisparse");
}

std::string with_option_names(std::string message) {
    for (auto const& [option, owner] : belongings)
        if (message.starts_with(std::string(owner) + ": "))
            message = std::regex_replace(message, std::regex("\\b" + name_in_library(option) + "\\b"), option);
    return message;
}

void add_execution(CLI::App& app, execution& e, std::string const& what, std::vector<std::string> const& formats,
                   std::string const& format_help) {
    add_choice(app, "--format", formats, format_help + " (default " + e.format + ")", e.format);
    add_tree_options(app, e.options);
    add_type(app, e.type);
    add_on(app, e.where.on);
    add_choice(app, "--controller", {"device", "persistent", "host"},
               "who starts the work on gpu and emulated (default persistent); where auto takes the cpu nobody",
               e.where.controller);
    add_threads(app, e.where.threads);
    add_whole(app, "--seed", e.where.seed, 0, 2147483647, "order of events in an emulated run (default 0)");
    add_whole(app, "--repeat", e.repeats, 0, 1000000, "timed runs after the first one (default 10; emulated: 0)");
    add_memory(app, e.memory, "one " + what + " takes");
    add_flag(app, "--profile", e.where.profile, "how its tasks access memory, line by line (--on emulated)");
    add_trace_option(app, e.trace, "one more " + what);
    add_json(app, e.json);
}

void check_execution(CLI::App const& app, execution& e) {
    check_format_options(app, e.format);
    if (was_given(app, "--seed") && e.where.on != "emulated") throw argument_error("--seed belongs to --on emulated");
    if (e.where.profile && e.where.on != "emulated")
        throw argument_error("--profile belongs to --on emulated; docs/profiling.md says how a GPU is profiled");
    if (!was_given(app, "--repeat") && e.where.on == "emulated") e.repeats = 0;
}

}  // namespace copse::cli
