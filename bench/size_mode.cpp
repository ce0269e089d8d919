// bench/run --sizes: how many bytes a matrix takes in each format, and what HiSparse is meant to take.
//
//   goal            applies to                                                     bytes per entry
//   full leaves     float, 100 entries or more per leaf                            at most 6.3
//   stencil         the generators poisson2d, poisson3d, stencil27, epidemiology   at most 4.3; double: 8.2
//   csr             8 entries or more per row                                      less than CSR's
//   hyper-sparse    more than half of the entries in wide leaves                   at most 1.05 times CSR's
//
// CSR is the smaller of the two: offsets of 4 bytes, as far as they reach. A leaf is a block of d x d with entries, a
// wide leaf as many as it stands for.
//
// {"op":"sizes", matrix, type, rows, cols, entries, entries_per_row, formats, csr_bytes_in_memory, node_dimension,
// goals, levels, csc_bytes, plans, date, commit} for each matrix and type. What is per entry is null in a matrix
// without entries. plans: with values that repeat stored once (default), and with a value for each entry.
#include <algorithm>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/cpu.hpp>
#include <string>
#include <utility>

#include "bench/harness/product.hpp"
#include "bench/harness/threads.hpp"
#include "bench/machine.hpp"
#include "bench/modes.hpp"
#include "bench/suite.hpp"

namespace copse::bench {
namespace {

using nlohmann::ordered_json;

/// Bytes of a matrix in one format.
struct format_size {
    std::string format;      // coo, csr, hisparse
    int node_dimension = 0;  // of hisparse; 0 for others
    std::int64_t bytes = 0;
    double entries_per_block = 0;   // of hisparse: in blocks of d x d that have any
    std::int64_t wide_entries = 0;  // of hisparse: in wide leaves
};

/// Of a matrix in one type.
struct matrix_sizes {
    std::string matrix;
    bool is_float;
    std::int64_t entries;
    double entries_per_row;
    int node_dimension;  // of the tree that goals are for
    std::vector<format_size> formats = {};
    ordered_json levels = {};

    double per_entry(std::int64_t bytes) const { return static_cast<double>(bytes) / static_cast<double>(entries); }
    format_size const& of(std::string const& format, int dimension = 0) const {
        return *std::find_if(formats.begin(), formats.end(),
                             [&](format_size const& f) { return f.format == format && f.node_dimension == dimension; });
    }
};

struct size_goal {
    char const* name;
    double limit;          // bytes per entry
    bool is_open = false;  // less than the limit; else at most
};

/// The goals that apply to a matrix that has entries.
std::vector<size_goal> goals_of(matrix_sizes const& m) {
    auto const generator = m.matrix.substr(0, m.matrix.find(':'));
    auto const csr = m.per_entry(m.of("csr").bytes);
    auto const& tree = m.of("hisparse", m.node_dimension);
    std::vector<size_goal> goals;
    if (m.is_float && tree.entries_per_block >= 100) goals.push_back({"full leaves", 6.3});
    if (generator == "poisson2d" || generator == "poisson3d" || generator == "stencil27" || generator == "epidemiology")
        goals.push_back({"stencil", m.is_float ? 4.3 : 8.2});
    if (m.entries_per_row >= 8) goals.push_back({"csr", csr, true});
    if (2 * tree.wide_entries > m.entries) goals.push_back({"hyper-sparse", 1.05 * csr});
    return goals;
}

ordered_json goal_objects(matrix_sizes const& m) {
    ordered_json objects = ordered_json::array();
    if (m.entries == 0) return objects;
    for (auto const& goal : goals_of(m)) {
        std::vector<int> met_with;
        for (auto const& f : m.formats) {
            auto const bytes = m.per_entry(f.bytes);
            bool const is_met = goal.is_open ? bytes < goal.limit : bytes <= goal.limit;
            if (f.node_dimension != 0 && is_met) met_with.push_back(f.node_dimension);
        }
        objects.push_back({{"goal", goal.name},
                           {"limit_bytes_per_entry", goal.limit},
                           {"below", goal.is_open},
                           {"met", std::count(met_with.begin(), met_with.end(), m.node_dimension) > 0},
                           {"met_with_node_dimensions", met_with}});
    }
    return objects;
}

ordered_json format_objects(matrix_sizes const& m) {
    ordered_json objects = ordered_json::array();
    for (auto const& f : m.formats) {
        ordered_json object{{"format", f.format}};
        if (f.node_dimension != 0) object["node_dimension"] = f.node_dimension;
        object["bytes"] = f.bytes;
        object["bytes_per_entry"] = m.entries == 0 ? ordered_json(nullptr) : ordered_json(m.per_entry(f.bytes));
        if (f.node_dimension != 0) object["entries_per_block"] = f.entries_per_block;
        objects.push_back(std::move(object));
    }
    return objects;
}

/// The nodes of each level and kind, the root's first. Leaves have entries, inner nodes children.
ordered_json levels_of(node_sizes const& sizes) {
    ordered_json levels = ordered_json::array();
    for (int level = level_count - 1; level >= 0; --level)
        for (int k = 0; k < node_kind_count; ++k) {
            auto const kind = static_cast<node_kind>(k);
            auto const& group = sizes.of(level, kind);
            if (group.nodes == 0) continue;
            bool const holds_entries = level == 0 || name_of(kind) == "wide";
            levels.push_back({{"level", level},
                              {"kind", name_of(kind)},
                              {"nodes", group.nodes},
                              {holds_entries ? "entries" : "children", group.entries},
                              {"bytes", group.bytes}});
        }
    return levels;
}

/// Bytes of the tree and of a cpu's plan for it, for A x alone and for both directions. What of a plan is not in lists
/// is in turned copies of wide leaves.
template <class T>
ordered_json plan_objects(cpu& executor, std::string const& matrix, csr<T> const& a, int node_dimension) {
    ordered_json objects = ordered_json::array();
    for (std::string const values : {"default", "each"}) {
        hisparse_options options{.node_dimension = node_dimension};
        if (values == "each") options.values = stored_values::each;
        within_memory("making plans for '" + matrix + "'", 0, [&] {
            hisparse<T> const tree(executor, a, options);
            spmv_plan<T> const plan(executor, tree), both(executor, tree, plan_directions::both);
            objects.push_back({{"values", values},
                               {"matrix_bytes", tree.bytes()},
                               {"bytes", plan.bytes()},
                               {"bytes_of_both", both.bytes()},
                               {"list_bytes_of_both", both.list_bytes() + both.transposed().list_bytes()}});
        });
    }
    return objects;
}

template <class T>
ordered_json size_object(std::string const& matrix, csr<T> const& a, int node_dimension, cpu& executor,
                         machine const& where) {
    matrix_sizes m{matrix, sizeof(T) == sizeof(float), a.entry_count(), count_rows(a).mean, node_dimension};
    m.formats = {{"coo", 0, coo_bytes(m.entries, sizeof(T))}, {"csr", 0, csr_bytes(a.row_count, m.entries, sizeof(T))}};
    for (int const dimension : {64, 128, 256}) {
        auto const tree = within_memory("converting '" + matrix + "' to HiSparse", 0,
                                        [&] { return hisparse<T>(host_memory(), a, {.node_dimension = dimension}); });
        auto const nodes = sizes_of_nodes(tree);
        m.formats.push_back({"hisparse", dimension, tree.bytes(), nodes.entries_per_block(), nodes.wide_entries()});
        if (dimension == node_dimension) m.levels = levels_of(nodes);
    }
    return {{"op", "sizes"},
            {"matrix", matrix},
            {"type", type_name<T>},
            {"rows", a.row_count},
            {"cols", a.column_count},
            {"entries", m.entries},
            {"entries_per_row", m.entries_per_row},
            {"formats", format_objects(m)},
            {"csr_bytes_in_memory", bytes_of(a)},
            {"node_dimension", node_dimension},
            {"goals", goal_objects(m)},
            {"levels", m.levels},
            {"csc_bytes", csr_bytes(a.column_count, m.entries, sizeof(T))},
            {"plans", plan_objects(executor, matrix, a, node_dimension)},
            {"date", where.date},
            {"commit", where.commit}};
}

}  // namespace

int size_mode(arguments const& a, json_lines& lines) {
    auto const matrices = with_files_of_folders(!a.matrices.empty() ? a.matrices : a.quick ? quick_suite : size_suite);
    auto const where = this_machine();
    cpu executor(use_threads(a.threads));
    lines.add(run_object("sizes", executor.threads(), where));
    auto const add = [&]<class T>(std::string const& matrix, csr<T> const& of) {
        lines.add(size_object(matrix, of, a.node_dimension, executor, where));
    };
    int failures = 0, run = 0;
    for (auto const& matrix : matrices) {
        fmt::print(stderr, "[{}/{}] {}\n", ++run, matrices.size(), one_line(matrix));
        try {
            csr<double> wide = load_matrix<double>(matrix);
            if (a.type != "float") add(matrix, wide);
            if (a.type == "double") continue;
            std::vector<float> const values(wide.values.begin(), wide.values.end());
            add(matrix, csr<float>{wide.row_count, wide.column_count, std::move(wide.row_offsets),
                                   std::move(wide.column_indices), values});
        } catch (copse::error const& e) {
            ++failures;
            complain(e.what());
        }
    }
    return failures;
}

}  // namespace copse::bench
