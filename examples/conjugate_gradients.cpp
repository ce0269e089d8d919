// -laplace(u) = f on the unit cube, u = 0 on its boundary, by conjugate gradients: many products with one matrix.
// The plan is made once, and each product computes the dot product that CG needs with it while y is in the cache.
#include <algorithm>
#include <cmath>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace {

double dot(std::vector<double> const& a, std::vector<double> const& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Solves A x = b from x = 0, A symmetric and positive definite; returns the number of products.
int solve(copse::cpu& cpu, copse::spmv_plan<double> const& a, std::vector<double> const& b, std::vector<double>& x,
          double tolerance) {
    std::vector<double> r = b, p = b, q(b.size());
    double const wanted = tolerance * tolerance * dot(b, b);
    double rr = dot(r, r);
    int products = 0;
    while (rr > wanted) {
        double const pq = copse::spmv(cpu, 1.0, a, p, 0.0, q,
                                      [&](std::int64_t i, double q_i) { return p[static_cast<std::size_t>(i)] * q_i; });
        ++products;
        double const alpha = rr / pq;
        double rr_next = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            rr_next += r[i] * r[i];
        }
        for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + rr_next / rr * p[i];
        rr = rr_next;
    }
    return products;
}

/// u = x (1 - x) y (1 - y) z (1 - z), of which differences are exact: the grid's solution is u itself.
struct test_problem {
    std::vector<double> u, b;  // b: h^2 f, as the matrix has 6 on its diagonal

    explicit test_problem(int n) {
        double const h = 1.0 / (n + 1);
        auto const bump = [&](int i) { return (i + 1) * h * (1 - (i + 1) * h); };
        for (int k = 0; k < n; ++k)
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) {
                    u.push_back(bump(i) * bump(j) * bump(k));
                    b.push_back(h * h * 2 * (bump(i) * bump(j) + bump(j) * bump(k) + bump(k) * bump(i)));
                }
    }
};

}  // namespace

int main() {
    int const n = 40;  // inner points in each direction
    copse::cpu cpu;
    copse::hisparse<double> const a(cpu, copse::generate<double>("poisson3d:" + std::to_string(n)));
    copse::spmv_plan<double> const plan(cpu, a);

    test_problem const problem(n);
    std::vector<double> x(problem.u.size(), 0.0);
    int const products = solve(cpu, plan, problem.b, x, 1e-12);

    double largest_error = 0;
    for (std::size_t i = 0; i < x.size(); ++i) largest_error = std::max(largest_error, std::abs(x[i] - problem.u[i]));
    std::printf("%d products, largest error %.1e\n", products, largest_error);
    return largest_error < 1e-10 && products > 10 ? 0 : 1;
}
