// copse info: what a matrix looks like.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/description.hpp"
#include "cli/flat_arguments.hpp"
#include "cli/load.hpp"
#include "cli/measurement.hpp"
#include "cli/options.hpp"
#include "cli/threads.hpp"

namespace copse::cli {
namespace {

struct info_arguments {
    std::string matrix;
    std::string type = "double";
    int node_dimension = 128;
    int threads = 0;
    measure::flat_options flat;
    bool json = false;
};

char const* const footer =
    "Prints the shape, the statistics of the rows, the bytes in each format, and the nodes of the HiSparse tree by "
    "level\n"
    "and kind. COO has two indices of 4 bytes for an entry, CSR one and the offsets of its rows (4 bytes; 8 from 2^31\n"
    "entries on), CSR5 the same with offsets of 8 bytes, and what its tiles take (beyond csr), SELL-P the same for\n"
    "an entry, an offset of 8 bytes for each slice, and padding (refused: it would take more than the entries, and a\n"
    "megabyte; or there is no memory for row offsets), CMRS the same and an offset for each strip, HiSparse two\n"
    "bytes for an entry of a list (four in a wide leaf), three for a run along a diagonal, a bit for a position of a\n"
    "dense leaf that is not full, the nodes above, and padding. A node at level l covers d^(l+1) rows and\n"
    "columns; the leaves are level 0, wide ones excepted. Entries per block: of the blocks of d x d that have\n"
    "any. Options of flat formats change what these take.\n"
    "\n"
    "JSON: op, matrix, type, rows, cols, entries, row_entries (minimum, mean, maximum, standard_deviation,\n"
    "empty_rows), auto (plan, oneshot, gpu_plan, gpu_oneshot: which format suits A x and A^T x), formats (format,\n"
    "bytes, bytes_per_entry: null where refused; where they say something node_dimension, entries_per_block,\n"
    "extra_bytes, padding_bytes), tree (node_dimension, levels: level, kind, nodes, entries or children, bytes).\n"
    "\n"
    "Examples:\n"
    "  copse info A.mtx\n"
    "  copse info A.mtx --omega 32 --slice-rows 32 --sorting-window 1024\n"
    "  copse info rmat:18 --node-dimension 256 --type float --json";

template <class T>
void print_info(info_arguments const& arguments) {
    auto const matrix = measure::load_rows_or_coordinates<T>(arguments.matrix);
    auto const description = std::visit(
        [&](auto const& a) {
            auto d = measure::describe(arguments.matrix, a, arguments.node_dimension);
            measure::add_flat_formats(d, a, arguments.flat);
            return d;
        },
        matrix);
    print(arguments.json ? measure::json_line(to_json(description)) : to_text(description));
}

void run_info(info_arguments const& arguments) {
    measure::use_threads(arguments.threads);
    if (arguments.type == "float") return print_info<float>(arguments);
    print_info<double>(arguments);
}

}  // namespace

command add_info(CLI::App& all) {
    auto const arguments = std::make_shared<info_arguments>();
    auto* const app = all.add_subcommand("info", "shape, rows, bytes by format and tree of a matrix");
    add_matrix(*app, arguments->matrix);
    add_node_dimension(*app, arguments->node_dimension);
    add_choice(*app, "--type", arguments->type, {"double", "float"}, "of the values (default double)");
    add_threads(*app, arguments->threads);
    add_size_options(*app, arguments->flat);
    app->add_flag("--json", arguments->json, "print one JSON object on one line")->disable_flag_override();
    app->footer(footer);
    return {app, [arguments] { run_info(*arguments); }};
}

}  // namespace copse::cli
