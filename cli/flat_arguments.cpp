#include "cli/flat_arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <limits>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "cli/numbers.hpp"
#include "cli/options.hpp"

namespace copse::cli {
namespace {

struct belonging {
    char const* option;
    char const* format;
};

constexpr std::array belongings{belonging{"--kernel", "csr"},
                                belonging{"--omega", "csr5"},
                                belonging{"--sigma", "csr5"},
                                belonging{"--slice-rows", "sellp"},
                                belonging{"--row-threads", "sellp"},
                                belonging{"--sorting-window", "sellp"},
                                belonging{"--most-padding-bytes", "sellp"},
                                belonging{"--height", "cmrs"},
                                belonging{"--sorted", "cmrs"}};

/// As csr_kernel has them.
std::vector<std::string> const kernels{"automatic", "row_split", "vector", "merge_path"};

void add_large(CLI::App& app, std::string const& name, std::int64_t low, std::string const& help,
               std::function<void(std::int64_t)> const& take) {
    auto const read = [=](std::string const& text) {
        take(measure::parse_whole(name, text, low, std::numeric_limits<std::int64_t>::max()));
    };
    app.add_option_function<std::string>(name, read, help)->type_name("n");
}

/// An option that is one of `choices`; take(choice).
void add_taken_choice(CLI::App& app, std::string const& name, std::vector<std::string> const& choices,
                      std::string const& help, std::function<void(std::string const&)> const& take) {
    app.add_option_function<std::string>(name, take, help)
        ->check(CLI::IsMember(choices).description(""))
        ->type_name(CLI::detail::join(choices, "|"));
}

/// `--slice-rows` is slice_rows there.
std::string name_in_library(std::string option) {
    option.erase(0, 2);
    std::replace(option.begin(), option.end(), '-', '_');
    return option;
}

}  // namespace

void add_size_options(CLI::App& app, measure::flat_options& options) {
    auto& csr5 = std::get<csr5_options>(options);
    auto& sellp = std::get<sellp_options>(options);
    auto& cmrs = std::get<cmrs_options>(options);
    add_taken_choice(app, "--omega", {"4", "8", "16", "32"},
                     "csr5: columns of a tile (default: 32; cpu: as many values as its vectors hold)",
                     [&csr5](std::string const& n) { csr5.omega = std::stoi(n); });
    add_whole(app, "--sigma", csr5.sigma, 1, 128, "csr5: rows of a tile (default: by the executor)");
    add_whole(app, "--slice-rows", sellp.slice_rows, 1, 128,
              "sellp: b, rows of a slice, a power of two (default: by the executor)");
    add_whole(app, "--row-threads", sellp.row_threads, 1, 128,
              "sellp: t, a row is padded to a multiple of it, a power of two (default: by the executor)");
    add_large(app, "--sorting-window", 1, "sellp: rows are sorted by length within stretches of so many (default 1)",
              [&sellp](std::int64_t n) { sellp.sorting_window = n; });
    add_large(app, "--most-padding-bytes", 0,
              "sellp: bytes that padding may take (default: as many as the entries, at least a megabyte)",
              [&sellp](std::int64_t n) { sellp.most_padding_bytes = n; });
    add_whole(app, "--height", cmrs.height, 1, 16, "cmrs: height of strips (default: by the executor)");
}

void add_flat_options(CLI::App& app, measure::flat_options& options) {
    auto& csr = std::get<csr_matrix_options>(options);
    auto& cmrs = std::get<cmrs_options>(options);
    add_size_options(app, options);
    add_taken_choice(app, "--kernel", kernels,
                     "csr: a lane for each row, 32 lanes for each, or equal shares of rows and entries; on the cpu the "
                     "first two are the same (default automatic: by the rows)",
                     [&csr](std::string const& name) {
                         auto const at = std::find(kernels.begin(), kernels.end(), name) - kernels.begin();
                         csr.kernel = static_cast<csr_kernel>(at);
                     });
    add_taken_choice(app, "--sorted", {"yes", "no"},
                     "cmrs: entries of a strip in order of columns (default: no; emulated and on a GPU: yes)",
                     [&cmrs](std::string const& answer) { cmrs.sorted = answer == "yes"; });
}

void check_flat_options(CLI::App const& app, std::string const& format) {
    for (auto const& [option, owner] : belongings)
        if (app.count(option) > 0 && format != owner)
            throw argument_error(std::string(option) + " belongs to --format " + owner + ", not to " + format);
}

std::string with_option_names(std::string message) {
    for (auto const& [option, owner] : belongings)
        if (message.starts_with(std::string(owner) + ": "))
            message = std::regex_replace(message, std::regex("\\b" + name_in_library(option) + "\\b"), option);
    return message;
}

}  // namespace copse::cli
