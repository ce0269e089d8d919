// What an outsider does with the installed library: a product of a HiSparse matrix, and a task function of his own.
// Returns 0 when the sum over A * (1, ..., 1) is what it is by hand.
#include <copse/algebra/spmv.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdint>
#include <cstdio>
#include <vector>

struct add_up {
    using item = std::int64_t;
    static constexpr int width = 1;
    double const* values;
    double* sum;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        w.add(sum, values[i]);
    }
};

int main() {
    copse::cpu cpu;
    copse::hisparse<double> const a(cpu, copse::generate<double>("poisson2d:8"));
    std::vector<double> x(64, 1.0), y(64);
    copse::spmv(cpu, 1.0, a, x, 0.0, y);
    double sum = 0;
    copse::run(cpu, copse::seed_range<add_up>(0, 64), add_up{y.data(), &sum});
    std::printf("sum %g\n", sum);
    // The 5-point Laplacian with 4 on the diagonal: a row's sum is the number of neighbours it lacks, 4 * 8 in all.
    return sum == 32 ? 0 : 1;
}
