// The sums of all rows and of all columns, and three norms of the matrix, in one traversal. Two tiles keep the sums of
// a leaf's rows and columns on chip, or under a few locks on the CPU.
#include <array>
#include <cmath>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/visit_rows.hpp>
#include <copse/runtime/run.hpp>
#include <cstdio>
#include <string>
#include <valarray>
#include <vector>

namespace {

struct add_up {
    using item = copse::node;
    static constexpr int width = 32;
    static constexpr std::size_t scratch_bytes = (3 + 2) * 128 * sizeof(double);  // of each row of a leaf, each column
    copse::tree_view<double> tree;
    double *of_rows, *of_columns;

    COPSE_HOST_DEVICE void operator()(item leaf, auto& w) const {
        copse::for_each_tiled_block(w, tree, leaf, [&](copse::node block) {  // on a GPU a wide leaf block by block
            auto const rows = tree.rows_of(block), columns = tree.columns_of(block);
            auto in_rows = w.tile(of_rows + 3 * rows.first, 3 * static_cast<int>(rows.count));
            auto in_columns = w.tile(of_columns + 2 * columns.first, 2 * static_cast<int>(columns.count));
            copse::for_each_entry_together(w, tree, block, [&](copse::tree_entry<double> const& e) {
                double const v = e.value, magnitude = std::abs(v);
                in_rows.add(e ? 3 * static_cast<int>(e.row - rows.first) : -1, std::array{v, magnitude, v * v});
                in_columns.add(e ? 2 * static_cast<int>(e.column - columns.first) : -1, std::array{v, magnitude});
            });
        });
    }
};

/// Of each row the sums of its entries, of their magnitudes and of their squares; then of each column the first two.
copse::buffer<double> sums_of(copse::any_executor auto& executor, copse::hisparse<double> const& a) {
    copse::buffer<double> sums(executor, 3 * a.row_count() + 2 * a.column_count(), 0.0);
    copse::run_on_leaves(executor, a, add_up{a.tree(), sums.data(), sums.data() + 3 * a.row_count()});
    return sums;
}

/// The matrix of a grid of side^3 points with its first row times 10; whole numbers, whose sums have no rounding.
bool is_right(copse::any_executor auto& executor, int side) {
    auto entries = copse::generate<double>("poisson3d:" + std::to_string(side));
    for (std::size_t k = 0; k < entries.values.size(); ++k)
        if (entries.rows[k] == 0) entries.values[k] *= 10;
    copse::hisparse<double> const a(executor, entries);
    std::size_t const m = a.row_count(), n = a.column_count();

    copse::buffer<double> const there = sums_of(executor, a);
    auto const all = there.on_host();
    std::valarray<double> const sums(all.data(), all.size());
    double const one_norm = sums[std::slice(3 * m + 1, n, 2)].max(), infinity_norm = sums[std::slice(1, m, 3)].max();
    double const frobenius_norm = std::sqrt(sums[std::slice(2, m, 3)].sum());

    std::valarray<double> in_rows = sums[std::slice(0, m, 3)], in_columns = sums[std::slice(3 * m, n, 2)];
    for (std::size_t k = 0; k < entries.values.size(); ++k) {
        in_rows[entries.rows[k]] -= entries.values[k];
        in_columns[entries.columns[k]] -= entries.values[k];
    }
    std::printf("one-norm %g, infinity norm %g, Frobenius norm %g\n", one_norm, infinity_norm, frobenius_norm);
    // 36 for each of side^3 diagonal entries, 1 for each of 6 side^3 - 6 side^2 others; three of them in the first row.
    double const squares = 42 * side * side * side - 6 * side * side + 99 * (36 + 3);
    return std::abs(in_rows).max() == 0 && std::abs(in_columns).max() == 0 && one_norm == 63 && infinity_norm == 90 &&
           frobenius_norm == std::sqrt(squares);
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::emulated lanes;
    return is_right(cpu, 24) && is_right(lanes, 12) ? 0 : 1;
}
