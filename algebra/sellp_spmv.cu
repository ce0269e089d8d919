// Products of SELL-P on the gpu executor.
#include <copse/algebra/flat_gpu.cuh>
#include <copse/algebra/sellp_tasks.hpp>

namespace copse {

template run_report spmv(gpu&, float, sellp<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(gpu&, double, sellp<double> const&, vector_view<double const>, double, vector_view<double>);
template flat_plan<sellp<float>>::flat_plan(gpu&, sellp<float> const&);
template flat_plan<sellp<double>>::flat_plan(gpu&, sellp<double> const&);
template void spmv(gpu&, float, flat_plan<sellp<float>> const&, vector_view<float const>, float, vector_view<float>);
template void spmv(gpu&, double, flat_plan<sellp<double>> const&, vector_view<double const>, double,
                   vector_view<double>);

}  // namespace copse
