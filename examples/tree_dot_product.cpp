// Two trees walked together: the dot product of A and B, sum of a_ij b_ij, either of them transposed; and whether A is
// symmetric, by the largest |a_ij - a_ji|.
#include <cmath>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/run.hpp>
#include <cstdio>

namespace {

struct times {
    COPSE_HOST_DEVICE double operator()(std::int64_t, std::int64_t, double x, double y) const { return x * y; }
};
template <class Executor>
double dot(Executor& executor, copse::hisparse<double> const& a, copse::hisparse<double> const& b) {
    return copse::reduce_leaves(executor, a, b, 0.0, times(), copse::plus());
}

struct distance {
    COPSE_HOST_DEVICE double operator()(std::int64_t, std::int64_t, copse::maybe<double> x,
                                        copse::maybe<double> y) const {
        return std::abs(x.value_or(0) - y.value_or(0));
    }
};
template <class Executor>
double asymmetry(Executor& executor, copse::hisparse<double> const& a) {
    auto const turned = copse::transposed(a);
    return copse::reduce_leaves<copse::pairs::either>(executor, a, turned, 0.0, distance(), copse::max_op());
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::emulated lanes;
    auto entries = copse::generate<double>("poisson2d:30");
    copse::hisparse<double> const a(cpu, entries);
    entries.values[1] += 0.25;  // one entry beside the diagonal
    copse::hisparse<double> const b(cpu, entries), there(lanes, entries);
    // 16 for each of 900 diagonal entries, 1 for each of 4 * 900 - 4 * 30 others.
    double const product = dot(cpu, a, copse::transposed(b)), squares = dot(lanes, there, there);
    double const symmetric = asymmetry(cpu, a), not_symmetric = asymmetry(lanes, there);
    std::printf("A . B^T = %g, B . B = %g, asymmetry %g and %g\n", product, squares, symmetric, not_symmetric);
    double const expected = 16 * 900 + 3480;
    return product == expected - 0.25 && squares == expected - 1 + 0.75 * 0.75 && symmetric == 0 &&
                   not_symmetric == 0.25
               ? 0
               : 1;
}
