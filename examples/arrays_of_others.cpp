// A matrix in the arrays of another library: taken as it lies, multiplied, added to its transpose, and written back
// into arrays of the caller. These are a Fortran program's: indices of 32 bits from 1.
#include <copse/algebra/add.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/views.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdio>
#include <span>
#include <vector>

int main() {
    // [ 4 1 0 ]
    // [ 0 4 0 ]
    // [ 2 0 4 ]
    int const row_offsets[] = {1, 3, 4, 6}, column_indices[] = {1, 2, 2, 3, 1};
    double const values[] = {4, 1, 4, 4, 2};
    double const x[] = {1, 2, 3};
    double y[3];

    copse::cpu cpu;
    copse::csr_view const view(3, 3, 5, row_offsets, column_indices, values, {.index_base = 1});
    copse::hisparse<double> const a(cpu, view);
    copse::spmv(cpu, 1.0, a, std::span(x), 0.0, std::span(y));

    // The same arrays as columns are A^T.
    copse::hisparse<double> const transpose(cpu, copse::transposed(view));
    copse::hisparse<double> const c = copse::add(cpu, 1.0, a, 1.0, transpose);

    // Sizes are known before anything is written.
    std::vector<int> offsets(c.row_count() + 1), columns(c.entry_count());
    std::vector<double> sums(c.entry_count());
    copse::to_csr(c, {offsets, columns, sums});

    std::printf("A x = %g %g %g; A + A^T has %d entries, of which the first is %g\n", y[0], y[1], y[2], offsets.back(),
                sums.front());
    return y[0] == 6 && y[1] == 8 && y[2] == 14 && offsets == std::vector<int>{0, 3, 5, 7} && sums.front() == 8 ? 0 : 1;
}
