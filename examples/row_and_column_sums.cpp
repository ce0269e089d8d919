// The sums of all rows and of all columns, in one traversal. A tile keeps a leaf's row sums on chip, or under one lock
// on the CPU; column sums go to memory by an atomic addition each.
#include <cmath>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/wide_parts.hpp>
#include <copse/runtime/run.hpp>
#include <cstdio>
#include <vector>

namespace {

struct add_up {
    using item = copse::node;
    static constexpr int width = 32;
    static constexpr std::size_t scratch_bytes = 128 * sizeof(double);  // the tile: a sum for each row of a leaf
    copse::tree_view<double> tree;
    double* row_sums;
    double* column_sums;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item leaf, Worker& w) const {
        copse::for_each_tiled_part(w, tree, leaf, [&](copse::node part) {  // on a GPU a wide leaf by parts
            auto const rows = tree.rows_of(part);
            auto sums = w.tile(row_sums + rows.first, static_cast<int>(rows.count));
            copse::for_each_entry_together(w, tree, part, [&](copse::tree_entry<double> const& e) {
                sums.add(e ? static_cast<int>(e.row - rows.first) : -1, e.value);
                if (e) w.add(&column_sums[e.column], e.value);
            });
            sums.close();
        });
    }
};

template <class Executor>
double largest_error(Executor& executor, copse::coo<double> const& entries) {
    copse::hisparse<double> const a(executor, entries);
    std::vector<double> const zeros(static_cast<std::size_t>(a.row_count()), 0.0);
    copse::buffer<double> const rows(executor, zeros), columns(executor, zeros);
    copse::run_on_leaves(executor, a, add_up{a.tree(), rows.data(), columns.data()});

    std::vector<double> in_rows = rows.to_host(), in_columns = columns.to_host();
    for (std::size_t k = 0; k < entries.values.size(); ++k) {
        in_rows[static_cast<std::size_t>(entries.rows[k])] -= entries.values[k];
        in_columns[static_cast<std::size_t>(entries.columns[k])] -= entries.values[k];
    }
    double largest = 0;
    for (auto const* sums : {&in_rows, &in_columns})
        for (double const rest : *sums) largest = std::max(largest, std::abs(rest));
    return largest;
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::emulated lanes;
    double const on_cpu = largest_error(cpu, copse::generate<double>("poisson3d:24")),
                 in_lanes = largest_error(lanes, copse::generate<double>("poisson3d:12"));
    std::printf("errors of sums: %g, %g\n", on_cpu, in_lanes);
    return on_cpu < 1e-12 && in_lanes < 1e-12 ? 0 : 1;
}
