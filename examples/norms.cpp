// Norms of a matrix, each in one call: a function for every leaf, or a value for every entry and how values are added.
#include <algorithm>
#include <cmath>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/visit_rows.hpp>
#include <copse/runtime/run.hpp>
#include <cstdio>
#include <vector>

namespace {

struct add_magnitudes {
    static constexpr std::size_t scratch_bytes = 128 * sizeof(double);  // a tile: the sums of a leaf's rows
    double* row_sums;
    COPSE_HOST_DEVICE void operator()(auto& w, copse::tree_view<double> const& tree, copse::node leaf) const {
        copse::for_each_tiled_block(w, tree, leaf, [&](copse::node block) {
            auto const rows = tree.rows_of(block);
            auto sums = w.tile(row_sums + rows.first, static_cast<int>(rows.count));
            copse::for_each_entry_together(w, tree, block, [&](copse::tree_entry<double> const& e) {
                sums.add(e ? static_cast<int>(e.row - rows.first) : -1, std::abs(e.value));
            });
        });
    }
};

/// max over rows i of sum over columns j of |a_ij|
double infinity_norm(copse::any_executor auto& executor, copse::hisparse<double> const& a) {
    copse::buffer<double> const sums(executor, a.row_count(), 0.0);
    copse::for_each_leaf(executor, a, add_magnitudes{sums.data()});
    auto const row_sums = sums.on_host();
    return row_sums.empty() ? 0 : *std::max_element(row_sums.begin(), row_sums.end());
}

struct square {
    COPSE_HOST_DEVICE double operator()(std::int64_t, std::int64_t, double value) const { return value * value; }
};

double frobenius_norm(copse::any_executor auto& executor, copse::hisparse<double> const& a) {
    return std::sqrt(copse::reduce_leaves(executor, a, 0.0, square(), copse::plus()));
}

}  // namespace

int main() {
    auto const entries = copse::generate<double>("poisson3d:24");
    copse::cpu cpu;
    copse::emulated lanes;  // the GPU's way, lane by lane
    copse::hisparse<double> const a(cpu, entries), there(lanes, entries),
        empty(cpu, copse::coo<double>{5, 5, {}, {}, {}});
    // Inner rows of the Poisson matrix: 6 and six times -1. op(A) = (-3 A)^T has the same structure.
    auto const turned = copse::transposed(copse::scaled(there, -3));
    double const norm = infinity_norm(cpu, a), of_turned = infinity_norm(lanes, turned);
    // 36 for each of 24^3 diagonal entries, 1 for each of 6 * 24^3 - 6 * 24^2 others.
    double const squares = 42 * 24 * 24 * 24 - 6 * 24 * 24;
    double const error = std::abs(frobenius_norm(cpu, a) - std::sqrt(squares)) +
                         std::abs(frobenius_norm(lanes, turned) - 3 * std::sqrt(squares));
    std::printf("infinity norms %g and %g, error of Frobenius norms %.1e\n", norm, of_turned, error);
    bool const none = infinity_norm(cpu, empty) == 0 &&
                      frobenius_norm(lanes, copse::hisparse<double>(lanes, copse::coo<double>())) == 0;
    return norm == 12 && of_turned == 36 && error < 1e-9 && none ? 0 : 1;
}
