// Eigen's sparse matrices and vectors, taken where they are; built where Eigen is installed.
#include <Eigen/SparseCore>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/views.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdio>
#include <span>
#include <vector>

int main() {
    // Eigen's matrices are stored by column if nothing else is said: then A is what is made of A^T, transposed in O(1).
    int const n = 1000;
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < n; ++i) {
        entries.emplace_back(i, i, 2.0);
        if (i > 0) entries.emplace_back(i, i - 1, -1.0);
    }
    Eigen::SparseMatrix<double> a(n, n);
    a.setFromTriplets(entries.begin(), entries.end());
    Eigen::VectorXd const x = Eigen::VectorXd::LinSpaced(n, 0, 1);
    Eigen::VectorXd y(n);

    copse::cpu cpu;
    copse::spmv_plan<double> const plan(cpu, copse::hisparse<double>(cpu, copse::view_of(a)));
    copse::spmv(cpu, 1.0, plan, std::span(x.data(), n), 0.0, std::span(y.data(), n));

    double const error = (y - a * x).norm();
    std::printf("A x differs from Eigen's by %g\n", error);
    return error < 1e-12 ? 0 : 1;
}
