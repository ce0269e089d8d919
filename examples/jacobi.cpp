// Jacobi's method: x <- x + D^-1 (b - A x), where D is the diagonal of A. The diagonal is read by a task of its own,
// which goes down only where the diagonal is.
#include <algorithm>
#include <cmath>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdio>
#include <vector>

namespace {

struct read_diagonal {
    using item = copse::node;
    static constexpr int width = 32;
    copse::tree_view<double> tree;
    double* diagonal;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item n, Worker& w) const {
        if (n.row != n.column) return;  // nodes of one size cover squares: this one covers no place of the diagonal
        if (!tree.is_leaf(n)) return copse::push_children<read_diagonal>(w, tree, n);
        copse::for_each_entry(w, tree, n, [&](std::int64_t row, std::int64_t column, double value) {
            if (row == column) diagonal[row] = value;
        });
    }
};

/// Zero where A has no entry.
template <class Executor>
std::vector<double> diagonal_of(Executor& executor, copse::hisparse<double> const& a) {
    copse::buffer<double> const d(executor, std::vector<double>(static_cast<std::size_t>(a.row_count()), 0.0));
    copse::run(executor, copse::seed_root<read_diagonal>(a), read_diagonal{a.tree(), d.data()});
    return d.to_host();
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::emulated lanes;
    auto const entries = copse::generate<double>("poisson2d:12");
    copse::hisparse<double> const a(cpu, entries), there(lanes, entries);
    std::vector<double> const d = diagonal_of(cpu, a), twice = diagonal_of(lanes, copse::scaled(there, 2));

    copse::spmv_plan<double> const plan(cpu, a);
    std::vector<double> const b(d.size(), 1.0);
    std::vector<double> x(d.size(), 0.0), r(d.size());
    double residual = 1;
    int steps = 0;
    for (; residual > 1e-10 && steps < 2000; ++steps) {
        r = b;
        copse::spmv(cpu, -1.0, plan, x, 1.0, r);  // r <- b - A x
        residual = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            residual = std::max(residual, std::abs(r[i]));
            x[i] += r[i] / d[i];
        }
    }
    std::printf("residual %.1e after %d steps; diagonals begin with %g and %g\n", residual, steps, d[0], twice[0]);
    bool const right = std::all_of(d.begin(), d.end(), [](double v) { return v == 4; }) &&
                       std::all_of(twice.begin(), twice.end(), [](double v) { return v == 8; });
    return right && residual <= 1e-10 ? 0 : 1;
}
