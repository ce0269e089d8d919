// Y <- Y + A X for 8 vectors: each entry is read once and multiplied by 8 elements of a row of X. X and Y are n x 8,
// row by row.
#include <array>
#include <cmath>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/visit_rows.hpp>
#include <copse/runtime/run.hpp>
#include <cstdio>
#include <vector>

namespace {

constexpr int vectors = 8;

struct multiply {
    using item = copse::node;
    static constexpr int width = 32;
    static constexpr std::size_t scratch_bytes = 128 * vectors * sizeof(double);  // the tile: rows of a leaf by vectors
    copse::tree_view<double> tree;
    double const* x;
    double* y;

    COPSE_HOST_DEVICE void operator()(item leaf, auto& w) const {
        copse::for_each_tiled_block(w, tree, leaf, [&](copse::node block) {  // on a GPU a wide leaf block by block
            auto const rows = tree.rows_of(block);
            auto sums = w.tile(y + vectors * rows.first, vectors * static_cast<int>(rows.count));
            copse::for_each_entry_together(w, tree, block, [&](copse::tree_entry<double> const& e) {
                std::array<double, vectors> terms{};
                for (int k = 0; k < vectors && e; ++k) terms[k] = e.value * x[vectors * e.column + k];
                sums.add(e ? vectors * static_cast<int>(e.row - rows.first) : -1, terms);
            });
            sums.close();
        });
    }
};

void multiply_eight(copse::any_executor auto& executor, copse::hisparse<double> const& a,
                    copse::buffer<double> const& x, copse::buffer<double> const& y) {
    copse::run_on_leaves(executor, a, multiply{a.tree(), x.data(), y.data()});
}

double largest_error(copse::any_executor auto& executor, char const* matrix) {
    copse::hisparse<double> const a(executor, copse::generate<double>(matrix));
    auto const n = static_cast<std::size_t>(a.row_count());
    std::vector<double> x(vectors * n), column(n), product(n);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
    copse::buffer<double> const x_there(executor, x), y_there(executor, vectors * a.row_count(), 0.0);
    multiply_eight(executor, copse::scaled(a, 0.5), x_there, y_there);

    std::vector<double> const y = y_there.to_host();
    double largest = 0;
    for (std::size_t k = 0; k < vectors; ++k) {  // one after the other
        for (std::size_t i = 0; i < n; ++i) column[i] = x[vectors * i + k];
        copse::buffer<double> const from(executor, column), to(executor, product);
        copse::spmv(executor, 0.5, a, from, 0.0, to);
        product = to.to_host();
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(y[vectors * i + k] - product[i]));
    }
    return largest;
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::emulated lanes;
    double const on_cpu = largest_error(cpu, "poisson3d:16"), in_lanes = largest_error(lanes, "poisson2d:16");
    std::printf("errors: %.1e, %.1e\n", on_cpu, in_lanes);
    return on_cpu < 1e-14 && in_lanes < 1e-14 ? 0 : 1;
}
