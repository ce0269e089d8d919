// Logistic regression by Newton's method: min over x of the sum of log(1 + exp((A x)_i)) - b_i (A x)_i, and |x|^2 / 2.
//
//   gradient   A^T (p - b) + x,  p_i = 1 / (1 + exp(-(A x)_i))
//   step       (A^T D A + I) s = -gradient by conjugate gradients, D = diag(p_i (1 - p_i))
//
// Gauss-Newton and interior points have other diagonals D; with D = I and nothing added the steps are those of CGLS.
// Each product is one pass over A: a part of A x becomes a part of D A x, and is multiplied with A^T while that part of
// A is in the cache.
#include <cmath>
#include <copse/algebra/spmv_both.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

using vector = std::vector<double>;

double dot(vector const& a, vector const& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add(double factor, vector const& a, vector& to) {
    for (std::size_t j = 0; j < to.size(); ++j) to[j] += factor * a[j];
}

/// The gradient at x, to `gradient`, and D, to `weights`. Returns the function without |x|^2 / 2.
double differentiate(copse::cpu& cpu, copse::spmv_plan<double> const& a, vector const& b, vector const& x,
                     vector& gradient, vector& weights) {
    gradient = x;
    return copse::normal_product(
        cpu, a, x,
        [&](std::int64_t row, double& t) {
            auto const i = static_cast<std::size_t>(row);
            double const loss = std::log1p(std::exp(t)) - b[i] * t, p = 1 / (1 + std::exp(-t));
            weights[i] = p * (1 - p);
            t = p - b[i];
            return loss;
        },
        1.0, gradient);
}

/// s with (A^T D A + I) s = -gradient.
vector newton_step(copse::cpu& cpu, copse::spmv_plan<double> const& a, vector const& weights, vector const& gradient) {
    vector s(gradient.size(), 0.0), r(gradient.size(), 0.0), z;
    add(-1, gradient, r);
    vector p = r;
    double square = dot(r, r);
    for (double const small = 1e-20 * square; square > small;) {
        z = p;
        double const curvature = dot(p, p) + copse::normal_product(
                                                 cpu, a, p,
                                                 [&](std::int64_t row, double& t) {
                                                     double const before = t;
                                                     t *= weights[static_cast<std::size_t>(row)];
                                                     return before * t;
                                                 },
                                                 1.0, z);
        add(square / curvature, p, s);
        add(-square / curvature, z, r);
        double const before = square;
        square = dot(r, r);
        for (std::size_t j = 0; j < p.size(); ++j) p[j] = r[j] + square / before * p[j];
    }
    return s;
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::spmv_plan<double> const plan(cpu, copse::hisparse<double>(cpu, copse::generate<double>("uniform:3000,12")));
    vector b(static_cast<std::size_t>(plan.row_count())), x(static_cast<std::size_t>(plan.column_count()), 0.0);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = i % 3 == 0 ? 1.0 : 0.0;

    vector gradient, weights(b.size());
    double loss = differentiate(cpu, plan, b, x, gradient, weights);
    double const first_loss = loss, first = std::sqrt(dot(gradient, gradient));
    int steps = 0;
    for (; steps < 20 && std::sqrt(dot(gradient, gradient)) > 1e-10 * first; ++steps) {
        add(1, newton_step(cpu, plan, weights, gradient), x);
        loss = differentiate(cpu, plan, b, x, gradient, weights);
    }
    double const left = std::sqrt(dot(gradient, gradient)) / first;
    std::printf("%d steps of Newton: loss %.2f to %.2f, the gradient's length fell to %.1e of what it was\n", steps,
                first_loss, loss, left);
    return steps < 10 && left <= 1e-10 && loss < first_loss ? 0 : 1;
}
