// Products of CSR5 on the CPU's executors; csr5_spmv.cu has the gpu's.
#include <copse/algebra/csr5_cpu.hpp>
#include <copse/algebra/csr5_tasks.hpp>
#include <copse/algebra/flat_host.hpp>

namespace copse {

template run_report spmv(cpu&, float, csr5<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(cpu&, double, csr5<double> const&, vector_view<double const>, double, vector_view<double>);
template run_report spmv(emulated&, float, csr5<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(emulated&, double, csr5<double> const&, vector_view<double const>, double,
                         vector_view<double>);
template flat_plan<csr5<float>>::flat_plan(cpu&, csr5<float> const&);
template flat_plan<csr5<double>>::flat_plan(cpu&, csr5<double> const&);
template flat_plan<csr5<float>>::flat_plan(emulated&, csr5<float> const&);
template flat_plan<csr5<double>>::flat_plan(emulated&, csr5<double> const&);
template void spmv(cpu&, float, flat_plan<csr5<float>> const&, vector_view<float const>, float, vector_view<float>);
template void spmv(cpu&, double, flat_plan<csr5<double>> const&, vector_view<double const>, double,
                   vector_view<double>);
template void spmv(emulated&, float, flat_plan<csr5<float>> const&, vector_view<float const>, float,
                   vector_view<float>);
template void spmv(emulated&, double, flat_plan<csr5<double>> const&, vector_view<double const>, double,
                   vector_view<double>);

}  // namespace copse
