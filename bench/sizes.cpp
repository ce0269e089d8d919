#include "bench/sizes.hpp"

#include <algorithm>

#include "bench/harness/addition.hpp"

namespace copse::bench {
namespace {

constexpr double full_leaf = 100;
constexpr double full_leaf_bytes = 6.3;
constexpr double stencil_bytes_float = 4.3;
constexpr double stencil_bytes_double = 8.2;
constexpr double full_row = 8;
constexpr double hyper_sparse_overhead = 1.05;

bool is_stencil(std::string const& matrix) {
    auto const name = matrix.substr(0, matrix.find(':'));
    return name == "poisson2d" || name == "poisson3d" || name == "stencil27" || name == "epidemiology";
}

format_size const& format_of(matrix_description const& d, std::string const& format, int node_dimension) {
    return *std::find_if(d.formats.begin(), d.formats.end(), [&](format_size const& f) {
        return f.format == format && f.node_dimension == node_dimension;
    });
}

std::vector<size_goal> goals_of(matrix_sizes const& s) {
    auto const& d = s.found;
    bool const is_float = d.type == "float";
    auto const csr = s.bytes_per_entry("csr");
    auto const& tree = format_of(d, "hisparse", d.node_dimension);
    std::vector<size_goal> goals;
    if (is_float && tree.entries_per_block >= full_leaf) goals.push_back({"full leaves", full_leaf_bytes, false, {}});
    if (is_stencil(d.matrix))
        goals.push_back({"stencil", is_float ? stencil_bytes_float : stencil_bytes_double, false, {}});
    if (s.entries_per_row() >= full_row) goals.push_back({"csr", csr, true, {}});
    if (2 * tree.wide_entries > d.entries) goals.push_back({"hyper-sparse", hyper_sparse_overhead * csr, false, {}});
    for (size_goal& goal : goals)
        for (auto const& f : d.formats) {
            if (f.node_dimension == 0) continue;
            double const bytes = s.bytes_per_entry(f.format, f.node_dimension);
            if (goal.is_open ? bytes < goal.limit : bytes <= goal.limit) goal.met_with.push_back(f.node_dimension);
        }
    return goals;
}

}  // namespace

bool size_goal::is_met_with(int node_dimension) const {
    return std::find(met_with.begin(), met_with.end(), node_dimension) != met_with.end();
}

double matrix_sizes::entries_per_row() const {
    return found.row_entries.mean;
}

double matrix_sizes::bytes_per_entry(std::string const& format, int node_dimension) const {
    return static_cast<double>(format_of(found, format, node_dimension).bytes) / static_cast<double>(found.entries);
}

double matrix_sizes::entries_per_block(int node_dimension) const {
    return format_of(found, "hisparse", node_dimension).entries_per_block;
}

template <class T>
matrix_sizes measure_sizes(std::string const& matrix, csr<T> const& a, int node_dimension) {
    matrix_sizes result{describe(matrix, a, node_dimension), bytes_of(a), {}};
    if (a.entry_count() > 0) result.goals = goals_of(result);
    return result;
}

template matrix_sizes measure_sizes(std::string const&, csr<float> const&, int);
template matrix_sizes measure_sizes(std::string const&, csr<double> const&, int);

}  // namespace copse::bench
