// min |A x - b| by LSQR (Paige and Saunders, 1982): each step multiplies with A and A^T, and reads A once for both.
#include <cmath>
#include <copse/algebra/spmv_both.hpp>
#include <copse/formats/coo.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

using vector = std::vector<double>;

double norm(vector const& a) {
    return std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.0));
}

/// From x = 0; returns the number of steps after which |A^T r| is `tolerance` times what it was, or most_steps. Plan:
/// spmv_plan<double>, or another library's (bench/solver_bench.cpp).
template <class Plan>
int lsqr(copse::cpu& cpu, Plan const& a, vector const& b, vector& x, double tolerance, int most_steps) {
    using copse::normal_product, copse::spmv;
    vector u = b, v(x.size()), z(x.size());  // u is `beta` times LSQR's
    double beta = norm(b);
    spmv(cpu, 1 / beta, transposed(a), u, 0.0, v);
    double alpha = norm(v);
    for (double& v_j : v) v_j /= alpha;
    vector w = v;
    double phi_bar = beta, rho_bar = alpha;
    double const wanted = tolerance * alpha * phi_bar;
    for (int step = 1; step <= most_steps; ++step) {
        // u <- A v - alpha u and its square, z <- A^T u
        double const factor = alpha / beta;
        beta = std::sqrt(normal_product(
            cpu, a, v,
            [&](std::int64_t i, double& t) {
                t -= factor * u[static_cast<std::size_t>(i)];
                return (u[static_cast<std::size_t>(i)] = t) * t;
            },
            0.0, z));
        for (std::size_t j = 0; j < v.size(); ++j) v[j] = z[j] / beta - beta * v[j];
        alpha = norm(v);
        for (double& v_j : v) v_j /= alpha;

        double const rho = std::hypot(rho_bar, beta), c = rho_bar / rho, s = beta / rho, phi = c * phi_bar;
        for (std::size_t j = 0; j < x.size(); ++j) {
            x[j] += phi / rho * w[j];
            w[j] = v[j] - s * alpha / rho * w[j];
        }
        rho_bar = -c * alpha;
        phi_bar *= s;
        if (phi_bar * alpha * std::abs(c) <= wanted) return step;
    }
    return most_steps;
}

/// Three entries a row, near the diagonal of a tall matrix.
copse::coo<double> tall_matrix(int m, int n) {
    copse::coo<double> a{m, n, {}, {}, {}};
    for (int i = 0; i < m; ++i)
        for (int k = 0; k < 3; ++k) {
            a.rows.push_back(i);
            a.columns.push_back((static_cast<int>(static_cast<long long>(i) * n / m) + 7 * k) % n);
            a.values.push_back(1 + std::sin(3.0 * i + k) / (k + 1));
        }
    return a;
}

}  // namespace

int main() {
    int const m = 60000, n = 20000;
    copse::cpu cpu;
    copse::spmv_plan<double> const plan(cpu, copse::hisparse<double>(cpu, tall_matrix(m, n)));
    vector b(m), x(n, 0.0);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<double>(i));

    int const steps = lsqr(cpu, plan, b, x, 1e-10, 500);
    // Of the normal equations: A^T (b - A x), beside A^T b.
    vector residual(n), before(n);
    copse::normal_product(
        cpu, plan, x, [&](std::int64_t i, double& t) { t = b[static_cast<std::size_t>(i)] - t; }, 0.0, residual);
    copse::spmv(cpu, 1.0, copse::transposed(plan), b, 0.0, before);
    std::printf("%d steps, |A^T r| is %.1e of |A^T b|\n", steps, norm(residual) / norm(before));
    return steps < 500 && norm(residual) < 1e-8 * norm(before) ? 0 : 1;
}
