// The sums of all rows and of all columns, and three norms of the matrix, in one traversal. A tile keeps the sums of a
// leaf's rows on chip, or under one lock on the CPU; sums of columns go to memory by an atomic addition each.
#include <cmath>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/wide_parts.hpp>
#include <copse/runtime/run.hpp>
#include <cstdio>
#include <string>
#include <valarray>
#include <vector>

namespace {

struct add_up {
    using item = copse::node;
    static constexpr int width = 32;
    static constexpr std::size_t scratch_bytes = 3 * 128 * sizeof(double);  // the tile: 3 sums for each row of a leaf
    copse::tree_view<double> tree;
    double *of_rows, *of_columns;

    COPSE_HOST_DEVICE void operator()(item leaf, auto& w) const {
        copse::for_each_tiled_part(w, tree, leaf, [&](copse::node part) {  // on a GPU a wide leaf by parts
            auto sums = w.tile(of_rows + 3 * std::int64_t{part.row}, 3 * static_cast<int>(tree.rows_of(part).count));
            copse::for_each_entry_together(w, tree, part, [&](copse::tree_entry<double> const& e) {
                double const terms[] = {e.value, std::abs(e.value), e.value * e.value};
                for (int k = 0; k < 3; ++k) sums.add(e ? 3 * static_cast<int>(e.row - part.row) + k : -1, terms[k]);
                for (int k = 0; k < 2 && e; ++k) w.add(&of_columns[2 * e.column + k], terms[k]);
            });
        });
    }
};

/// Of each row the sums of its entries, of their magnitudes and of their squares; then of each column the first two.
std::valarray<double> sums_of(copse::any_executor auto& executor, copse::hisparse<double> const& a) {
    std::size_t const size = 3 * a.row_count() + 2 * a.column_count();
    copse::buffer<double> const sums(executor, std::vector<double>(size));
    copse::run_on_leaves(executor, a, add_up{a.tree(), sums.data(), sums.data() + 3 * a.row_count()});
    return std::valarray<double>(sums.to_host().data(), size);
}

/// The matrix of a grid of side^3 points with its first row times 10; whole numbers, whose sums have no rounding.
bool is_right(copse::any_executor auto& executor, int side) {
    auto entries = copse::generate<double>("poisson3d:" + std::to_string(side));
    for (std::size_t k = 0; k < entries.values.size(); ++k)
        if (entries.rows[k] == 0) entries.values[k] *= 10;
    copse::hisparse<double> const a(executor, entries);
    std::size_t const m = a.row_count(), n = a.column_count();

    std::valarray<double> const sums = sums_of(executor, a);
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
