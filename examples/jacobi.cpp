// Jacobi's method: x <- x + D^-1 (b - A x), where D is the diagonal of A. The diagonal is read by a task of its own,
// which goes down only where the diagonal is.
#include <algorithm>
#include <cmath>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/run.hpp>
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
    copse::buffer<double> const d(executor, a.row_count(), 0.0);
    copse::run(executor, copse::seed_root<read_diagonal>(a), read_diagonal{a.tree(), d.data()});
    return d.to_host();
}

/// Goes on until no element of b - A x is larger than 1e-10; returns the number of steps.
template <class Executor>
int solve(Executor& executor, copse::hisparse<double> const& a, std::vector<double> const& b, std::vector<double>& x) {
    copse::spmv_plan<double> const plan(executor, a);
    std::vector<double> const d = diagonal_of(executor, a);
    for (int steps = 0;; ++steps) {
        copse::buffer<double> const from(executor, x), to(executor, b);
        copse::spmv(executor, -1.0, plan, from, 1.0, to);  // r <- b - A x
        std::vector<double> const r = to.to_host();
        double residual = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            residual = std::max(residual, std::abs(r[i]));
            x[i] += r[i] / d[i];
        }
        if (residual <= 1e-10 || steps == 2000) return steps;
    }
}

template <class Executor>
bool is_right(Executor& executor, char const* matrix) {
    copse::hisparse<double> const a(executor, copse::generate<double>(matrix));
    std::vector<double> const d = diagonal_of(executor, a), twice = diagonal_of(executor, copse::scaled(a, 2));
    std::vector<double> const b(d.size(), 1.0);
    std::vector<double> x(d.size(), 0.0);
    int const steps = solve(executor, a, b, x);
    std::printf("%d steps, diagonals begin with %g and %g\n", steps, d[0], twice[0]);
    return steps < 2000 && std::all_of(d.begin(), d.end(), [](double v) { return v == 4; }) &&
           std::all_of(twice.begin(), twice.end(), [](double v) { return v == 8; });
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::emulated lanes;
    return is_right(cpu, "poisson2d:12") && is_right(lanes, "poisson2d:5") ? 0 : 1;
}
