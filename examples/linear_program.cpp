// min c^T x, A x = b, x >= 0 by the primal-dual hybrid gradient method (Chambolle and Pock, 2011; PDLP is made of it):
//
//   y <- y + sigma (b - A (2 x - x_before))        x_before <- x        x <- max(0, x - tau (c - A^T y))
//
// Both products of a step are one pass over A: a part of A x becomes a part of y, which is multiplied with A^T while
// that part of A is in the cache.
#include <algorithm>
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

/// |A|, from below by some steps of the power method on A^T A.
double largest_singular_value(copse::cpu& cpu, copse::spmv_plan<double> const& a, std::size_t column_count) {
    vector x(column_count, 1.0), z(column_count);
    double square = 0;
    for (int step = 0; step < 30; ++step) {
        double const length = std::sqrt(dot(x, x));
        for (double& x_j : x) x_j /= length;
        square = copse::normal_product(
            cpu, a, x, [](std::int64_t, double t) { return t * t; }, 0.0, z);
        x.swap(z);
    }
    return std::sqrt(square);
}

struct linear_program {
    vector c, b;
};

/// Starts with x = 0, y = 0. step_size: below 1 / |A|. Plan: spmv_plan<double>, or another library's
/// (bench/solver_bench.cpp).
template <class Plan>
void primal_dual(copse::cpu& cpu, Plan const& a, linear_program const& problem, vector& x, vector& y, int steps,
                 double step_size) {
    using copse::normal_product;
    vector ahead = x, z(x.size(), 0.0);  // 2 x - x_before, A^T y
    for (int step = 0; step < steps; ++step) {
        for (std::size_t j = 0; j < x.size(); ++j) {
            double const before = x[j];
            x[j] = std::max(0.0, before - step_size * (problem.c[j] - z[j]));
            ahead[j] = 2 * x[j] - before;
        }
        normal_product(
            cpu, a, ahead,
            [&](std::int64_t row, double& t) {
                auto const i = static_cast<std::size_t>(row);
                t = y[i] += step_size * (problem.b[i] - t);
            },
            0.0, z);
    }
}

/// Five sources send to each of n targets: a row for each target's demand and one for each source's supply.
copse::coo<double> transport(int targets, int sources) {
    copse::coo<double> a{targets + sources, targets * sources, {}, {}, {}};
    for (int target = 0; target < targets; ++target)
        for (int source = 0; source < sources; ++source)
            for (int row : {target, targets + source}) {
                a.rows.push_back(row);
                a.columns.push_back(target * sources + source);
                a.values.push_back(row < targets ? 1.0 : 1.0 / targets);
            }
    return a;
}

}  // namespace

int main() {
    int const targets = 200, sources = 5;
    copse::cpu cpu;
    copse::spmv_plan<double> const plan(cpu, copse::hisparse<double>(cpu, transport(targets, sources)));
    // A program whose solution is known: each target is served by one source, the cheapest by the dual prices y.
    vector best(static_cast<std::size_t>(plan.column_count()), 0.0), price(static_cast<std::size_t>(plan.row_count()));
    for (std::size_t i = 0; i < price.size(); ++i) price[i] = std::sin(static_cast<double>(i));
    linear_program problem{best, vector(price.size())};
    copse::spmv(cpu, 1.0, copse::transposed(plan), price, 0.0, problem.c);
    for (std::size_t j = 0; j < best.size(); ++j) {
        bool const is_served = j % sources == j / sources % sources;
        best[j] = is_served ? 1.0 + static_cast<double>(j % 3) : 0.0;
        if (!is_served) problem.c[j] += 0.5 + static_cast<double>(j % 7) / 7;
    }
    copse::spmv(cpu, 1.0, plan, best, 0.0, problem.b);

    vector x(best.size(), 0.0), y(price.size(), 0.0);
    primal_dual(cpu, plan, problem, x, y, 5000, 0.9 / largest_singular_value(cpu, plan, x.size()));
    double distance = 0;
    for (std::size_t j = 0; j < x.size(); ++j) distance = std::max(distance, std::abs(x[j] - best[j]));
    std::printf("c^T x is %.6f, and %.6f at the solution; x differs by %.1e\n", dot(problem.c, x), dot(problem.c, best),
                distance);
    return distance < 1e-6 ? 0 : 1;
}
