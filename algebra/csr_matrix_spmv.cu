// Products of compressed rows on the gpu executor.
#include <copse/algebra/csr_tasks.hpp>
#include <copse/algebra/flat_gpu.cuh>

namespace copse {

template run_report spmv(gpu&, float, csr_matrix<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(gpu&, double, csr_matrix<double> const&, vector_view<double const>, double,
                         vector_view<double>);
template flat_plan<csr_matrix<float>>::flat_plan(gpu&, csr_matrix<float> const&);
template flat_plan<csr_matrix<double>>::flat_plan(gpu&, csr_matrix<double> const&);
template void spmv(gpu&, float, flat_plan<csr_matrix<float>> const&, vector_view<float const>, float,
                   vector_view<float>);
template void spmv(gpu&, double, flat_plan<csr_matrix<double>> const&, vector_view<double const>, double,
                   vector_view<double>);

}  // namespace copse
