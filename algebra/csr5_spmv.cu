// Products of CSR5 on the gpu executor.
#include <copse/algebra/csr5_tasks.hpp>
#include <copse/algebra/flat_gpu.cuh>

namespace copse {

template run_report spmv(gpu&, float, csr5<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(gpu&, double, csr5<double> const&, vector_view<double const>, double, vector_view<double>);
template flat_plan<csr5<float>>::flat_plan(gpu&, csr5<float> const&);
template flat_plan<csr5<double>>::flat_plan(gpu&, csr5<double> const&);
template void spmv(gpu&, float, flat_plan<csr5<float>> const&, vector_view<float const>, float, vector_view<float>);
template void spmv(gpu&, double, flat_plan<csr5<double>> const&, vector_view<double const>, double,
                   vector_view<double>);

}  // namespace copse
