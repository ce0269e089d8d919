#include "bench/harness/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <copse/formats/node_sizes.hpp>
#include <copse/formats/padding_limit.hpp>
#include <copse/runtime/cpu.hpp>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

#include "bench/harness/addition.hpp"
#include "bench/harness/auto_format.hpp"
#include "bench/harness/load.hpp"
#include "bench/harness/measurement.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench::measure {
namespace {

std::vector<level_description> levels_of(node_sizes const& sizes) {
    std::vector<level_description> levels;
    for (int level = level_count - 1; level >= 0; --level) {
        for (int k = 0; k < node_kind_count; ++k) {
            auto const kind = static_cast<node_kind>(k);
            auto const& group = sizes.of(level, kind);
            if (group.nodes > 0)
                levels.push_back({level, std::string(name_of(kind)), group.nodes, group.entries, group.bytes});
        }
    }
    return levels;
}

/// None for a matrix without entries.
std::string per_entry(std::int64_t bytes, std::int64_t entries) {
    return entries == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(bytes) / static_cast<double>(entries));
}

std::string format_table(matrix_description const& d) {
    table t("lrrrrr");
    t.add({"format", "bytes", "per entry", "beyond csr", "padding", "entries per block"});
    for (auto const& f : d.formats) {
        bool const is_tree = f.node_dimension != 0 && d.entries > 0;
        auto const name = f.node_dimension == 0 ? f.format : fmt::format("{}, d = {}", f.format, f.node_dimension);
        t.add({name, f.refused ? "refused" : with_commas(f.bytes), f.refused ? "" : per_entry(f.bytes, d.entries),
               f.extra_bytes > 0 ? with_commas(f.extra_bytes) : "",
               f.padding_bytes > 0 ? with_commas(f.padding_bytes) : "",
               is_tree ? fmt::format("{:.1f}", f.entries_per_block) : ""});
    }
    return t.text();
}

/// Why the bytes of csr and those that csr5 has beyond csr do not add up to csr5's.
std::string offsets_text(matrix_description const& d) {
    auto const csr5 =
        std::find_if(d.formats.begin(), d.formats.end(), [](auto const& f) { return f.format == "csr5"; });
    auto const csr = std::find_if(d.formats.begin(), d.formats.end(), [](auto const& f) { return f.format == "csr"; });
    if (csr5 == d.formats.end() || csr5->refused || csr->bytes + csr5->extra_bytes == csr5->bytes) return "";
    return fmt::format(
        "csr: with offsets of 4 bytes; copse's own have 8 ({} bytes in all), and beyond csr is beyond that.\n",
        with_commas(csr5->bytes - csr5->extra_bytes));
}

nlohmann::ordered_json auto_json(auto_formats const& a) {
    return {{"A x", name_of(a.a_x.format)}, {"A^T x", name_of(a.transposed_x.format)}};
}

/// What auto takes on an executor; whether SELL-P refuses, only a conversion says.
std::string auto_text(auto_formats const& a, std::string_view on) {
    auto const one = [&](format_choice const& c) {
        auto const instead = c.format == matrix_format::sellp
                                 ? fmt::format("; {} if it pads too much", instead_of_sellp(on))
                                 : std::string();
        return fmt::format("({}{})", c.reason, instead);
    };
    return fmt::format("{} for A x {}, {} for A^T x {}", name_of(a.a_x.format), one(a.a_x),
                       name_of(a.transposed_x.format), one(a.transposed_x));
}

std::string tree_table(matrix_description const& d) {
    if (d.levels.empty()) return fmt::format("The tree with d = {} is empty.\n", d.node_dimension);
    table t("lrlrrrr");
    t.add({"level", "covers", "kind", "nodes", "holds", "per node", "bytes"});
    for (auto const& l : d.levels) {
        std::int64_t covers = d.node_dimension;
        for (int i = 0; i < l.level; ++i) covers *= d.node_dimension;
        auto const mean = static_cast<double>(l.entries) / static_cast<double>(l.nodes);
        t.add({l.level == 0 ? "0, leaves" : std::to_string(l.level), fmt::format("{0} x {0}", with_commas(covers)),
               l.kind, with_commas(l.nodes),
               fmt::format("{} {}", with_commas(l.entries), l.holds_entries() ? "entries" : "children"),
               fmt::format("{:.1f}", mean), with_commas(l.bytes)});
    }
    return fmt::format("The tree with d = {}:\n", d.node_dimension) + t.text();
}

}  // namespace

namespace {

/// a: csr or coo.
template <class T, class Matrix>
matrix_description describe_matrix(std::string const& matrix, Matrix const& a, int node_dimension) {
    auto const auto_by = [&](bool by_plan, std::string_view on) {
        return auto_formats{choose_format(a, false, by_plan, on), choose_format(a, true, by_plan, on)};
    };
    matrix_description d{matrix,
                         type_name<T>,
                         a.row_count,
                         a.column_count,
                         a.entry_count(),
                         count_rows(a),
                         auto_by(true, "cpu"),
                         auto_by(false, "cpu"),
                         auto_by(true, "gpu"),
                         auto_by(false, "gpu"),
                         {},
                         node_dimension,
                         {},
                         {}};
    d.formats.push_back({"coo", 0, coo_bytes(a.entry_count(), sizeof(T)), 0, 0});
    d.formats.push_back({"csr", 0, csr_bytes(a.row_count, a.entry_count(), sizeof(T)), 0, 0});
    for (int const dimension : {64, 128, 256}) {
        auto const tree = within_memory("converting '" + matrix + "' to HiSparse", 0,
                                        [&] { return hisparse<T>(host_memory(), a, {.node_dimension = dimension}); });
        node_sizes const sizes = sizes_of_nodes(tree);
        d.formats.push_back({"hisparse", dimension, tree.bytes(), sizes.entries_per_block(), sizes.wide_entries()});
        if (dimension == node_dimension) d.levels = levels_of(sizes);
    }
    return d;
}

/// Behind coo and csr.
void insert_flat_formats(matrix_description& d, std::vector<format_size> const& added) {
    d.formats.insert(d.formats.begin() + 2, added.begin(), added.end());
}

}  // namespace

template <class T>
matrix_description describe(std::string const& matrix, csr<T> const& a, int node_dimension) {
    return describe_matrix<T>(matrix, a, node_dimension);
}

template <class T>
matrix_description describe(std::string const& matrix, coo<T> const& a, int node_dimension) {
    return describe_matrix<T>(matrix, a, node_dimension);
}

template <class T>
void add_flat_formats(matrix_description& d, coo<T> const& a, flat_options const& options) {
    try {
        add_flat_formats(d, rows_of(d.matrix, a), options);
    } catch (error const& e) {
        d.without_rows = e.what();
        std::vector<format_size> refused;
        for (std::string const name : flat_format_names)
            if (name != "csr") refused.push_back({.format = name, .refused = true});
        insert_flat_formats(d, refused);
    }
}

template <class T>
void add_flat_formats(matrix_description& d, csr<T> const& a, flat_options const& options) {
    cpu const host(1);
    std::vector<format_size> added;
    for (std::string const name : flat_format_names) {
        if (name == "csr") continue;  // with the offsets of 4 bytes that others count
        with_flat_format<T>(name, [&]<class Matrix>(std::type_identity<Matrix>) {
            format_size size;
            size.format = name;
            try {
                auto const made = within_memory("converting '" + d.matrix + "' to " + name, converted_bytes(a, name),
                                                [&] { return make_flat<Matrix>(host, a, options); });
                size.bytes = made.bytes();
                if constexpr (requires { made.extra_bytes(); }) size.extra_bytes = made.extra_bytes();
                if constexpr (requires { made.padding_bytes(); }) size.padding_bytes = made.padding_bytes();
            } catch (too_much_padding const& e) {
                size.refused = true;
                size.padding_bytes = e.padding_bytes();
            }
            added.push_back(size);
        });
    }
    insert_flat_formats(d, added);
}

nlohmann::ordered_json to_json(matrix_description const& d) {
    using json = nlohmann::ordered_json;
    auto const& r = d.row_entries;
    json formats = json::array();
    for (auto const& f : d.formats) {
        json object{{"format", f.format}};
        if (f.node_dimension != 0) object["node_dimension"] = f.node_dimension;
        object["bytes"] = f.refused ? json(nullptr) : json(f.bytes);
        object["bytes_per_entry"] = d.entries == 0 || f.refused
                                        ? json(nullptr)
                                        : json(static_cast<double>(f.bytes) / static_cast<double>(d.entries));
        if (f.node_dimension != 0) object["entries_per_block"] = f.entries_per_block;
        if (f.extra_bytes != 0) object["extra_bytes"] = f.extra_bytes;
        if (f.padding_bytes != 0) object["padding_bytes"] = f.padding_bytes;
        formats.push_back(std::move(object));
    }
    json levels = json::array();
    for (auto const& l : d.levels) {
        levels.push_back({{"level", l.level},
                          {"kind", l.kind},
                          {"nodes", l.nodes},
                          {l.holds_entries() ? "entries" : "children", l.entries},
                          {"bytes", l.bytes}});
    }
    return {{"op", "info"},
            {"matrix", d.matrix},
            {"type", d.type},
            {"rows", d.rows},
            {"cols", d.columns},
            {"entries", d.entries},
            {"row_entries",
             {{"minimum", r.minimum},
              {"mean", r.mean},
              {"maximum", r.maximum},
              {"standard_deviation", r.standard_deviation},
              {"empty_rows", r.empty_rows}}},
            {"auto",
             {{"plan", auto_json(d.from_plan)},
              {"oneshot", auto_json(d.one_by_one)},
              {"gpu_plan", auto_json(d.from_plan_on_gpu)},
              {"gpu_oneshot", auto_json(d.one_by_one_on_gpu)}}},
            {"formats", std::move(formats)},
            {"tree", {{"node_dimension", d.node_dimension}, {"levels", std::move(levels)}}}};
}

std::string to_text(matrix_description const& d) {
    auto const& r = d.row_entries;
    std::string text = fmt::format("{}\n", one_line(d.matrix));
    text += fmt::format("{} x {}, {} entries, {}\n", with_commas(d.rows), with_commas(d.columns),
                        with_commas(d.entries), d.type);
    text += fmt::format("Entries per row: {} to {}, mean {:.2f}, standard deviation {:.2f}; empty rows: {}\n\n",
                        with_commas(r.minimum), with_commas(r.maximum), r.mean, r.standard_deviation,
                        with_commas(r.empty_rows));
    text += format_table(d) + offsets_text(d);
    if (!d.without_rows.empty()) text += fmt::format("csr5, sellp, cmrs: {}\n", d.without_rows);
    text += '\n';
    text += fmt::format("auto takes, on the cpu, from a plan: {}\n", auto_text(d.from_plan, "cpu"));
    text += fmt::format("                   one product each: {}\n", auto_text(d.one_by_one, "cpu"));
    text += fmt::format("            on a GPU, from a plan: {}\n", auto_text(d.from_plan_on_gpu, "gpu"));
    text += fmt::format("                   one product each: {}\n\n", auto_text(d.one_by_one_on_gpu, "gpu"));
    return text + tree_table(d);
}

template matrix_description describe(std::string const&, csr<float> const&, int);
template matrix_description describe(std::string const&, csr<double> const&, int);
template matrix_description describe(std::string const&, coo<float> const&, int);
template matrix_description describe(std::string const&, coo<double> const&, int);
template void add_flat_formats(matrix_description&, coo<float> const&, flat_options const&);
template void add_flat_formats(matrix_description&, coo<double> const&, flat_options const&);
template void add_flat_formats(matrix_description&, csr<float> const&, flat_options const&);
template void add_flat_formats(matrix_description&, csr<double> const&, flat_options const&);

}  // namespace copse::bench::measure
