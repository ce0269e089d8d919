#include "bench/description.hpp"

#include <copse/formats/hisparse.hpp>
#include <copse/formats/node_sizes.hpp>
#include <nlohmann/json.hpp>

#include "bench/harness/load.hpp"
#include "bench/harness/measurement.hpp"

namespace copse::bench {
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

}  // namespace

template <class T>
matrix_description describe(std::string const& matrix, csr<T> const& a, int node_dimension) {
    matrix_description d{matrix, type_name<T>,   a.row_count, a.column_count, a.entry_count(), count_rows(a),
                         {},     node_dimension, {}};
    d.formats.push_back({"coo", 0, coo_bytes(a.entry_count(), sizeof(T))});
    d.formats.push_back({"csr", 0, csr_bytes(a.row_count, a.entry_count(), sizeof(T))});
    for (int const dimension : {64, 128, 256}) {
        auto const tree = within_memory("converting '" + matrix + "' to HiSparse", 0,
                                        [&] { return hisparse<T>(host_memory(), a, {.node_dimension = dimension}); });
        node_sizes const sizes = sizes_of_nodes(tree);
        d.formats.push_back({"hisparse", dimension, tree.bytes(), sizes.entries_per_block(), sizes.wide_entries()});
        if (dimension == node_dimension) d.levels = levels_of(sizes);
    }
    return d;
}

nlohmann::ordered_json to_json(matrix_description const& d) {
    using json = nlohmann::ordered_json;
    json formats = json::array();
    for (auto const& f : d.formats) {
        json object{{"format", f.format}};
        if (f.node_dimension != 0) object["node_dimension"] = f.node_dimension;
        object["bytes"] = f.bytes;
        object["bytes_per_entry"] =
            d.entries == 0 ? json(nullptr) : json(static_cast<double>(f.bytes) / static_cast<double>(d.entries));
        if (f.node_dimension != 0) object["entries_per_block"] = f.entries_per_block;
        formats.push_back(std::move(object));
    }
    json levels = json::array();
    for (auto const& l : d.levels)
        levels.push_back({{"level", l.level},
                          {"kind", l.kind},
                          {"nodes", l.nodes},
                          {l.holds_entries() ? "entries" : "children", l.entries},
                          {"bytes", l.bytes}});
    return {{"formats", std::move(formats)},
            {"tree", {{"node_dimension", d.node_dimension}, {"levels", std::move(levels)}}}};
}

template matrix_description describe(std::string const&, csr<float> const&, int);
template matrix_description describe(std::string const&, csr<double> const&, int);

}  // namespace copse::bench
