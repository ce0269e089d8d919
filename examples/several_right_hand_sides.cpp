// Conjugate gradients for eight right-hand sides at once: A X = B. Each step has one product with all directions, which
// reads A once; everything else goes on for each column by itself.
#include <algorithm>
#include <cmath>
#include <copse/algebra/spmm.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t k = 8;
using numbers = std::vector<double>;  // n x k by rows, or one for each column

/// For each column the dot product of two.
numbers dots(numbers const& a, numbers const& b) {
    numbers sums(k);
    for (std::size_t i = 0; i < a.size(); ++i) sums[i % k] += a[i] * b[i];
    return sums;
}
/// y <- x + factor y, column by column.
void scale_and_add(numbers const& x, numbers const& factor, numbers& y) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] + factor[i % k] * y[i];
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::hisparse<double> const a(cpu, copse::generate<double>("poisson2d:64"));
    copse::spmv_plan<double> const plan(cpu, a);
    auto const n = a.row_count();
    auto const multiply = [&](double alpha, numbers const& x, double beta, numbers& y) {
        copse::spmm(cpu, alpha, plan, copse::row_major(x, n, k), beta, copse::row_major(y, n, k));
    };

    numbers b(static_cast<std::size_t>(n) * k), x(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(i + 1));
    numbers r = b, p = r, q(b.size());
    numbers rr = dots(r, r);
    numbers const start = rr;
    int steps = 0;
    auto const is_done = [&](std::size_t c) { return rr[c] <= 1e-20 * start[c]; };
    for (bool all = false; !all && steps < 1000; ++steps) {
        multiply(1, p, 0, q);  // Q <- A P
        numbers const pq = dots(p, q);
        for (std::size_t i = 0; i < x.size(); ++i) {
            std::size_t const c = i % k;
            double const step = is_done(c) ? 0 : rr[c] / pq[c];
            x[i] += step * p[i];
            r[i] -= step * q[i];
        }
        numbers const before = rr;
        rr = dots(r, r);
        numbers factor(k);
        all = true;
        for (std::size_t c = 0; c < k; ++c) {
            factor[c] = rr[c] / before[c];
            all = all && is_done(c);
        }
        scale_and_add(r, factor, p);
    }

    multiply(-1, x, 1, b);  // B <- B - A X
    numbers const left = dots(b, b);
    double worst = 0;
    for (std::size_t c = 0; c < k; ++c) worst = std::max(worst, std::sqrt(left[c] / start[c]));
    std::printf("%d steps for %d right-hand sides; |b - A x| / |b| is at most %.1e\n", steps, static_cast<int>(k),
                worst);
    return worst < 1e-9 ? 0 : 1;
}
