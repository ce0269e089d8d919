// Convection and diffusion on a square by biconjugate gradients (Fletcher, 1976): A is not symmetric, and each step
// multiplies with A and with A^T. Both products read A once, and p~^T A p is computed while A p is in the cache.
#include <cmath>
#include <copse/algebra/spmv_both.hpp>
#include <copse/formats/coo.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

using vector = std::vector<double>;

double dot(vector const& a, vector const& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// From x = 0; returns the number of steps after which |b - A x| is `tolerance` times |b|, or most_steps. Plan:
/// spmv_plan<double>, or another library's (bench/solver_bench.cpp).
template <class Plan>
int bicg(copse::cpu& cpu, Plan const& a, vector const& b, vector& x, double tolerance, int most_steps) {
    using copse::spmv_both;
    vector r = b, r2 = b, p = b, p2 = b, q(b.size()), q2(b.size());  // 2: of A^T
    double rho = dot(r, r2);
    double const wanted = tolerance * tolerance * dot(b, b);
    for (int step = 1; step <= most_steps; ++step) {
        double const curvature = spmv_both(
                                     cpu, a, 1.0, p, 0.0, q, 1.0, p2, 0.0, q2,
                                     [&](std::int64_t i, double q_i) { return p2[static_cast<std::size_t>(i)] * q_i; },
                                     [](std::int64_t, double) {})
                                     .first;
        double const alpha = rho / curvature;
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            r2[i] -= alpha * q2[i];
        }
        if (dot(r, r) <= wanted) return step;
        double const beta = dot(r, r2) / rho;
        rho *= beta;
        for (std::size_t i = 0; i < x.size(); ++i) {
            p[i] = r[i] + beta * p[i];
            p2[i] = r2[i] + beta * p2[i];
        }
    }
    return most_steps;
}

/// Five points on a grid of n x n; what flows along the rows makes it unsymmetric.
copse::coo<double> convection_and_diffusion(int n, double flow) {
    copse::coo<double> a{n * n, n * n, {}, {}, {}};
    for (int i = 0; i < n * n; ++i) {
        auto const put = [&](bool is_inside, int j, double value) {
            if (!is_inside) return;
            a.rows.push_back(i);
            a.columns.push_back(j);
            a.values.push_back(value);
        };
        put(i >= n, i - n, -1);
        put(i % n > 0, i - 1, -1 - flow);
        put(true, i, 4);
        put(i % n < n - 1, i + 1, -1 + flow);
        put(i < n * (n - 1), i + n, -1);
    }
    return a;
}

}  // namespace

int main() {
    int const n = 60;
    copse::cpu cpu;
    copse::spmv_plan<double> const plan(cpu, copse::hisparse<double>(cpu, convection_and_diffusion(n, 0.2)));
    vector b(static_cast<std::size_t>(n) * n, 1.0), x(b.size(), 0.0);
    int const steps = bicg(cpu, plan, b, x, 1e-8, 1000);
    vector residual = b;
    copse::spmv(cpu, -1.0, plan, x, 1.0, residual);
    double const left = std::sqrt(dot(residual, residual) / dot(b, b));
    std::printf("%d steps, |b - A x| is %.1e of |b|\n", steps, left);
    return steps < 1000 && left < 1e-7 ? 0 : 1;
}
