// Products of compressed rows on the CPU's executors; csr_matrix_spmv.cu has the gpu's.
#include <copse/algebra/csr_cpu.hpp>
#include <copse/algebra/csr_tasks.hpp>
#include <copse/algebra/flat_host.hpp>

namespace copse {

template run_report spmv(cpu&, float, csr_matrix<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(cpu&, double, csr_matrix<double> const&, vector_view<double const>, double,
                         vector_view<double>);
template run_report spmv(emulated&, float, csr_matrix<float> const&, vector_view<float const>, float,
                         vector_view<float>);
template run_report spmv(emulated&, double, csr_matrix<double> const&, vector_view<double const>, double,
                         vector_view<double>);
template flat_plan<csr_matrix<float>>::flat_plan(cpu&, csr_matrix<float> const&);
template flat_plan<csr_matrix<double>>::flat_plan(cpu&, csr_matrix<double> const&);
template flat_plan<csr_matrix<float>>::flat_plan(emulated&, csr_matrix<float> const&);
template flat_plan<csr_matrix<double>>::flat_plan(emulated&, csr_matrix<double> const&);
template void spmv(cpu&, float, flat_plan<csr_matrix<float>> const&, vector_view<float const>, float,
                   vector_view<float>);
template void spmv(cpu&, double, flat_plan<csr_matrix<double>> const&, vector_view<double const>, double,
                   vector_view<double>);
template void spmv(emulated&, float, flat_plan<csr_matrix<float>> const&, vector_view<float const>, float,
                   vector_view<float>);
template void spmv(emulated&, double, flat_plan<csr_matrix<double>> const&, vector_view<double const>, double,
                   vector_view<double>);

}  // namespace copse
