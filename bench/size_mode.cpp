// bench/run --sizes: {"op":"sizes", matrix, type, rows, cols, entries, entries_per_row, formats, csr_bytes_in_memory,
// node_dimension, goals, levels, date, commit} for each matrix and type. What is per entry is null in a matrix without
// entries.
#include <copse/formats/csr.hpp>
#include <utility>

#include "bench/harness/load.hpp"
#include "bench/harness/threads.hpp"
#include "bench/machine.hpp"
#include "bench/modes.hpp"
#include "bench/sizes.hpp"
#include "bench/suite.hpp"

namespace copse::bench {
namespace {

using nlohmann::ordered_json;

ordered_json size_object(matrix_sizes const& s, machine const& where) {
    auto const& d = s.found;
    auto const description = to_json(d);
    ordered_json goals = ordered_json::array();
    for (size_goal const& goal : s.goals)
        goals.push_back({{"goal", goal.name},
                         {"limit_bytes_per_entry", goal.limit},
                         {"below", goal.is_open},
                         {"met", goal.is_met_with(d.node_dimension)},
                         {"met_with_node_dimensions", goal.met_with}});
    return {{"op", "sizes"},
            {"matrix", d.matrix},
            {"type", d.type},
            {"rows", d.rows},
            {"cols", d.columns},
            {"entries", d.entries},
            {"entries_per_row", s.entries_per_row()},
            {"formats", description["formats"]},
            {"csr_bytes_in_memory", s.csr_bytes_in_memory},
            {"node_dimension", d.node_dimension},
            {"goals", std::move(goals)},
            {"levels", description["tree"]["levels"]},
            {"date", where.date},
            {"commit", where.commit}};
}

}  // namespace

int size_mode(arguments const& a, json_lines& lines) {
    auto const matrices = with_files_of_folders(!a.matrices.empty() ? a.matrices
                                                : a.quick           ? quick_suite()
                                                                    : size_suite());
    auto const where = this_machine();
    lines.add(run_object("sizes", use_threads(a.threads), where));
    auto const add = [&]<class T>(std::string const& matrix, csr<T> const& of) {
        lines.add(size_object(measure_sizes(matrix, of, a.node_dimension), where));
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
