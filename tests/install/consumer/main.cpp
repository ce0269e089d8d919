// What an outsider does with the installed library: makes a matrix and runs a task function of his own over its rows.
// Returns 0 when the sum of the entries, by the task function, is what it is by hand.
#include <copse/formats/csr.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdint>
#include <cstdio>

struct sum_row {
    using item = std::int64_t;
    static constexpr int width = 1;
    std::int64_t const* row_offsets;
    double const* values;
    double* sum;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item row, Worker& w) const {
        double total = 0;
        for (std::int64_t k = row_offsets[row]; k < row_offsets[row + 1]; ++k) total += values[k];
        w.add(sum, total);
    }
};

int main() {
    // The 5-point Laplacian with 4 on the diagonal: the sum is the number of missing neighbours, 8 * 4 at the border.
    auto const a = copse::to_csr(copse::generate<double>("poisson2d:8"));
    double sum = 0;
    copse::cpu cpu;
    copse::run(cpu, copse::seed_range<sum_row>(0, a.row_count), sum_row{a.row_offsets.data(), a.values.data(), &sum});
    std::printf("%lld entries, sum %g\n", static_cast<long long>(a.entry_count()), sum);
    return sum == 32 ? 0 : 1;
}
