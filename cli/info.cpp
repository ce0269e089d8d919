// copse info: what a matrix looks like: its shape, its rows, its bytes in each format, its tree.
#include <fmt/format.h>

#include <copse/algebra/tuned_plan.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/cpu.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

#include "cli/formats.hpp"
#include "cli/load.hpp"
#include "cli/options.hpp"
#include "cli/record.hpp"
#include "cli/text.hpp"

namespace copse::cli {
namespace {

char const* const info_footer =
    R"(Prints the shape, the statistics of the rows, the bytes in each format, and the nodes of the HiSparse tree by
level and kind. COO has two indices of 4 bytes for an entry, CSR one and the offsets of its rows (4 bytes; 8 from 2^31
entries on), CSR5 the same with offsets of 8 bytes, and what its tiles take (beyond csr), SELL-P the same for
an entry, an offset of 8 bytes for each slice, and padding (refused: it would take more than the entries, and a
megabyte; or there is no memory for row offsets), CMRS the same and an offset for each strip, HiSparse two
bytes for an entry of a list (four in a wide leaf), three for a streak along a diagonal, a bit for a position of
a dense leaf that is not full, the nodes above, and padding. A node at level l covers d^(l+1) rows and
columns; the leaves are level 0, wide ones excepted. Entries per block: of the blocks of d x d that have
any. Options of flat formats change what these take. Nodes are counted once; where there are such, the table says
how many are shared (stand at several places), mirrored (stand somewhere as their transpose), negated (stand
somewhere with the other sign), and how many leaves store values once.

JSON: op, matrix, type, rows, cols, entries, row_entries (minimum, mean, maximum, standard_deviation,
empty_rows), auto (plan, oneshot, gpu_plan, gpu_oneshot: which format suits A x and A^T x), with --tune tuned
(products, threads, A x, A^T x, trials: format, product, seconds), formats (format,
bytes, bytes_per_entry: null where refused; where they say something node_dimension, entries_per_block,
extra_bytes, padding_bytes), tree (node_dimension, levels: level, kind, nodes, entries or children, bytes,
shared_nodes, mirrored_nodes, negated_nodes, values_once_nodes).

Examples:
  copse info A.mtx
  copse info A.mtx --omega 32 --slice-rows 32 --sorting-window 1024
  copse info rmat:18 --node-dimension 256 --type float --json)";

struct info_arguments {
    std::string matrix;
    std::string type = "double";
    format_options options;
    int threads = 0;
    std::optional<std::int64_t> tune;
    bool json = false;
};

using json = nlohmann::ordered_json;

struct description {
    json object;  // what --json prints
    std::string auto_text;
    std::string without_rows;  // why flat formats but csr are refused, where they all are
};

/// A format's object. No bytes: refused, because memory is missing or padding would be too much.
json size_of_format(std::string const& format, std::optional<std::int64_t> bytes, std::int64_t entries,
                    int node_dimension = 0) {
    json object{{"format", format}};
    if (node_dimension != 0) object["node_dimension"] = node_dimension;
    object["bytes"] = bytes ? json(*bytes) : json(nullptr);
    bool const has_mean = bytes && entries > 0;
    object["bytes_per_entry"] =
        has_mean ? json(static_cast<double>(*bytes) / static_cast<double>(entries)) : json(nullptr);
    return object;
}

/// Flat formats but csr, as on the cpu, with this machine's tiles where options leave them open.
template <class T>
std::vector<json> flat_sizes(info_arguments const& arguments, csr<T> const& a, std::string&) {
    cpu const host(1);
    std::vector<json> sizes;
    for (std::string const name : flat_format_names) {
        if (name == "csr") continue;  // counted with offsets of 4 bytes, as by others
        with_format<T>(name, [&]<class Matrix>(std::type_identity<Matrix>) {
            std::optional<std::int64_t> bytes;
            std::int64_t extra = 0, padding = 0;
            try {
                auto const made = within_memory(converting(arguments.matrix, name), converted_bytes(a, name),
                                                [&] { return make_matrix<Matrix>(host, a, arguments.options); });
                bytes = made.bytes();
                if constexpr (requires { made.extra_bytes(); }) extra = made.extra_bytes();
                if constexpr (requires { made.padding_bytes(); }) padding = made.padding_bytes();
            } catch (too_much_padding const& e) {
                padding = e.padding_bytes();
            }
            sizes.push_back(size_of_format(name, bytes, a.entry_count()));
            if (extra != 0) sizes.back()["extra_bytes"] = extra;
            if (padding != 0) sizes.back()["padding_bytes"] = padding;
        });
    }
    return sizes;
}
template <class T>
std::vector<json> flat_sizes(info_arguments const& arguments, coo<T> const& a, std::string& without_rows) {
    try {
        return flat_sizes(arguments, rows_of(arguments.matrix, a), without_rows);
    } catch (error const& e) {
        without_rows = e.what();
    }
    std::vector<json> refused;
    for (std::string const name : flat_format_names)
        if (name != "csr") refused.push_back(size_of_format(name, std::nullopt, a.entry_count()));
    return refused;
}

/// The nodes of each level and kind, the root's first.
json levels_of(node_sizes const& nodes) {
    json levels = json::array();
    for (int level = level_count - 1; level >= 0; --level)
        for (int k = 0; k < node_kind_count; ++k) {
            auto const kind = static_cast<node_kind>(k);
            auto const& group = nodes.of(level, kind);
            bool const holds_entries = level == 0 || kind == node_kind::wide;
            if (group.nodes > 0)
                levels.push_back({{"level", level},
                                  {"kind", name_of(kind)},
                                  {"nodes", group.nodes},
                                  {holds_entries ? "entries" : "children", group.entries},
                                  {"bytes", group.bytes},
                                  {"shared_nodes", group.shared},
                                  {"mirrored_nodes", group.mirrored},
                                  {"negated_nodes", group.negated},
                                  {"values_once_nodes", group.values_once}});
        }
    return levels;
}

/// What auto takes for A x and A^T x. Whether SELL-P refuses, only a conversion says.
void add_auto(description& d, matrix_profile const& profile) {
    struct use {
        char const* name;
        char const* words;
        bool by_plan;
        char const* on;
    };
    for (auto const& [name, words, by_plan, on] :
         {use{"plan", "auto takes, on the cpu, from a plan: ", true, "cpu"},
          use{"oneshot", "                   one product each: ", false, "cpu"},
          use{"gpu_plan", "            on a GPU, from a plan: ", true, "gpu"},
          use{"gpu_oneshot", "                   one product each: ", false, "gpu"}}) {
        d.auto_text += words;
        for (bool const transposed : {false, true}) {
            auto const product = transposed ? "A^T x" : "A x";
            auto const product_use = use_of(transposed, by_plan, on);
            auto const choice = suitable_format(profile, product_use);
            auto const instead = choice.format == matrix_format::sellp
                                     ? fmt::format("; {} if it pads too much", instead_of_sellp(product_use.many_lanes))
                                     : std::string();
            d.object["auto"][name][product] = name_of(choice.format);
            d.auto_text += fmt::format("{} for {} ({}{}){}", name_of(choice.format), product, choice.reason, instead,
                                       transposed ? "\n" : ", ");
        }
    }
}

/// What a trial on the cpu says of products from plans.
template <class T>
void add_verdict(description& d, info_arguments const& arguments, csr<T> const& a) {
    std::int64_t const products = *arguments.tune;
    cpu executor(arguments.threads > 0 ? arguments.threads : usable_processors());
    auto const verdict = tune(executor, a, {.products = products});
    json trials = json::array();
    for (auto const& trial : verdict.trials)
        trials.push_back({{"format", name_of(trial.format)},
                          {"product", trial.transposed ? "A^T x" : "A x"},
                          {"seconds", trial.seconds}});
    d.object["tuned"] = {{"products", products},
                         {"threads", executor.threads()},
                         {"A x", name_of(verdict.stored)},
                         {"A^T x", name_of(*verdict.transposed)},
                         {"trials", std::move(trials)}};
    d.auto_text += fmt::format("A trial for {} products from plans takes: {} for A x, {} for A^T x\n",
                               with_commas(products), name_of(verdict.stored), name_of(*verdict.transposed));
}
template <class T>
void add_verdict(description&, info_arguments const&, coo<T> const&) {
    throw error("--tune: there is no memory for the rows of the matrix");
}

/// Converts `a` to each format. a: csr or coo.
template <class T, class Source>
description describe(info_arguments const& arguments, Source const& a) {
    auto const entries = a.entry_count();
    auto const profile = profile_of(a);
    auto const& rows = profile.rows;
    description d;
    d.object = {{"op", "info"},
                {"matrix", arguments.matrix},
                {"type", type_name<T>},
                {"rows", a.row_count},
                {"cols", a.column_count},
                {"entries", entries},
                {"row_entries",
                 {{"minimum", rows.minimum},
                  {"mean", rows.mean},
                  {"maximum", rows.maximum},
                  {"standard_deviation", rows.standard_deviation},
                  {"empty_rows", rows.empty_rows}}}};
    add_auto(d, profile);
    if (arguments.tune) add_verdict(d, arguments, a);
    json formats{size_of_format("coo", coo_bytes(entries, sizeof(T)), entries),
                 size_of_format("csr", csr_bytes(a.row_count, entries, sizeof(T)), entries)};
    for (auto& size : flat_sizes(arguments, a, d.without_rows)) formats.push_back(std::move(size));
    json levels;
    for (int const dimension : {64, 128, 256}) {
        auto const tree = within_memory(converting(arguments.matrix, "hisparse"), 0, [&] {
            hisparse_options options = arguments.options.tree;
            options.node_dimension = dimension;
            return hisparse<T>(host_memory(), view_for_trees(a, arguments.options, true), options);
        });
        auto const nodes = sizes_of_nodes(tree);
        formats.push_back(size_of_format("hisparse", tree.bytes(), entries, dimension));
        formats.back()["entries_per_block"] = nodes.entries_per_block();
        if (dimension == arguments.options.tree.node_dimension) levels = levels_of(nodes);
    }
    d.object["formats"] = std::move(formats);
    d.object["tree"] = {{"node_dimension", arguments.options.tree.node_dimension}, {"levels", std::move(levels)}};
    return d;
}

std::string format_table(json const& formats, std::int64_t entries) {
    table t("lrrrrr");
    t.add({"format", "bytes", "per entry", "beyond csr", "padding", "entries per block"});
    for (auto const& f : formats) {
        auto const count = [&](char const* name) { return f.contains(name) ? with_commas(f[name]) : ""; };
        auto const text = [&](char const* name, char const* as) {
            return fmt::format(fmt::runtime(as), f[name].get<double>());
        };
        bool const is_refused = f["bytes"].is_null(), is_tree = f.contains("node_dimension");
        auto const dimension = is_tree ? ", d = " + count("node_dimension") : "";
        t.add({f["format"].get<std::string>() + dimension, is_refused ? "refused" : count("bytes"),
               is_refused     ? ""
               : entries == 0 ? "-"
                              : text("bytes_per_entry", "{:.2f}"),
               count("extra_bytes"), count("padding_bytes"),
               is_tree && entries > 0 ? text("entries_per_block", "{:.1f}") : ""});
    }
    return t.text();
}

/// Why the bytes of csr and those that csr5 has beyond csr do not add up to csr5's.
std::string offsets_text(json const& csr, json const& csr5) {
    if (csr5["bytes"].is_null()) return "";
    auto const own = csr5["bytes"].get<std::int64_t>() - csr5.value("extra_bytes", std::int64_t{0});
    if (own == csr["bytes"]) return "";
    return "csr: with offsets of 4 bytes; copse's own have 8 (" + with_commas(own) +
           " bytes in all), and beyond csr is beyond that.\n";
}

std::string tree_text(json const& tree) {
    auto const dimension = tree["node_dimension"].get<std::int64_t>();
    if (tree["levels"].empty()) return fmt::format("The tree with d = {} is empty.\n", dimension);
    // Columns for what is stored once, where anything is.
    std::vector<std::pair<char const*, char const*>> once;
    for (auto const& [field, head] : {std::pair("shared_nodes", "shared"),
                                      {"mirrored_nodes", "mirrored"},
                                      {"negated_nodes", "negated"},
                                      {"values_once_nodes", "values once"}})
        if (std::ranges::any_of(tree["levels"], [field = field](json const& l) { return l[field] != 0; }))
            once.emplace_back(field, head);
    table t("lrlrrrr" + std::string(once.size(), 'r'));
    std::vector<std::string> heads{"level", "covers", "kind", "nodes", "holds", "per node", "bytes"};
    for (auto const& column : once) heads.emplace_back(column.second);
    t.add(heads);
    for (auto const& l : tree["levels"]) {
        auto const level = l["level"].get<int>();
        std::int64_t covers = dimension;
        for (int i = 0; i < level; ++i) covers *= dimension;
        std::string const what = l.contains("entries") ? "entries" : "children";
        auto const held = l[what].get<std::int64_t>(), nodes = l["nodes"].get<std::int64_t>();
        std::vector<std::string> line{level == 0 ? "0, leaves" : std::to_string(level),
                                      fmt::format("{0} x {0}", with_commas(covers)),
                                      l["kind"],
                                      with_commas(nodes),
                                      with_commas(held) + " " + what,
                                      fmt::format("{:.1f}", static_cast<double>(held) / static_cast<double>(nodes)),
                                      with_commas(l["bytes"])};
        for (auto const& column : once) line.push_back(with_commas(l[column.first]));
        t.add(line);
    }
    return fmt::format("The tree with d = {}:\n", dimension) + t.text();
}

std::string to_text(description const& d) {
    auto const& o = d.object;
    auto const& rows = o["row_entries"];
    auto const without_rows = d.without_rows.empty() ? "" : "csr5, sellp, cmrs: " + d.without_rows + '\n';
    return fmt::format(
        "{}\n{} x {}, {} entries, {}\n"
        "Entries per row: {} to {}, mean {:.2f}, standard deviation {:.2f}; empty rows: {}\n\n{}{}{}\n{}\n{}",
        one_line(o["matrix"].get<std::string>()), with_commas(o["rows"]), with_commas(o["cols"]),
        with_commas(o["entries"]), o["type"].get<std::string>(), with_commas(rows["minimum"]),
        with_commas(rows["maximum"]), rows["mean"].get<double>(), rows["standard_deviation"].get<double>(),
        with_commas(rows["empty_rows"]), format_table(o["formats"], o["entries"]),
        offsets_text(o["formats"][1], o["formats"][2]), without_rows, d.auto_text, tree_text(o["tree"]));
}

template <class T>
void print_info(info_arguments arguments) {
    auto const matrix =
        rows_or_coordinates_of(arguments.matrix, load_entries<T>(arguments.matrix, arguments.options.source));
    auto const d = std::visit([&](auto const& a) { return describe<T>(arguments, a); }, matrix);
    arguments.json ? print(d.object) : print(to_text(d));
}

}  // namespace

command add_info(CLI::App& all) {
    auto const arguments = std::make_shared<info_arguments>();
    CLI::App& app = add_command(all, "info", "shape, rows, bytes by format and tree of a matrix", info_footer);
    add_matrix(app, arguments->matrix);
    add_tree_options(app, arguments->options);
    add_type(app, arguments->type);
    add_threads(app, arguments->threads);
    add_size_options(app, arguments->options);
    add_tune(app, arguments->tune);
    add_json(app, arguments->json);
    return {&app, [arguments] {
                use_threads(arguments->threads);
                arguments->type == "float" ? print_info<float>(*arguments) : print_info<double>(*arguments);
            }};
}

}  // namespace copse::cli
