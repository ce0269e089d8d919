// A per-node function that reads values: the infinity norm, max over rows i of sum over columns j of |a_ij|.
//
//   inner node --> push its children
//   leaf ------> add |a_ij| to the sum of row i
#include <algorithm>
#include <cmath>
#include <copse/algebra/node_bins.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdio>
#include <vector>

namespace {

struct sum_magnitudes {
    using item = copse::node;
    static constexpr int width = 32;
    static constexpr char const* name = "sum magnitudes";
    copse::tree_view tree;
    double* row_sums;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item n, Worker& w) const {
        if (!tree.is_leaf(n)) return copse::push_children<sum_magnitudes>(w, tree, n);
        copse::for_each_entry<double>(
            w, tree, n, [&](std::int64_t row, std::int64_t, double value) { w.add(&row_sums[row], std::abs(value)); });
    }
};

/// On any executor: a queue never holds more items than the matrix has nodes.
template <class Executor>
double infinity_norm(Executor& executor, copse::hisparse<double> const& a) {
    if (!a.root()) return 0;  // no entries, no nodes
    copse::buffer<double> const sums(executor, std::vector<double>(static_cast<std::size_t>(a.row_count()), 0.0));
    copse::run(executor, copse::run_options().capacity<sum_magnitudes>(a.census().nodes()),
               copse::seed<sum_magnitudes>(a.root()), sum_magnitudes{a.tree(), sums.data()});
    std::vector<double> const row_sums = sums.to_host();
    return std::abs(a.scale()) * *std::max_element(row_sums.begin(), row_sums.end());
}

}  // namespace

int main() {
    auto const entries = copse::generate<double>("poisson3d:24");
    copse::cpu cpu;
    copse::emulated lanes;  // the GPU's way, lane by lane
    copse::hisparse<double> const a(cpu, entries), there(lanes, entries);
    // Inner rows of the Poisson matrix: 6 and six times -1; op(A) = (3 A)^T has the same structure.
    double const norm = infinity_norm(cpu, a),
                 turned = infinity_norm(lanes, copse::transposed(copse::scaled(there, 3)));
    std::printf("norms %g and %g\n", norm, turned);
    return norm == 12 && turned == 36 ? 0 : 1;
}
