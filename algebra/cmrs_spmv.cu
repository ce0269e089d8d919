// Products of CMRS on the gpu executor.
#include <copse/algebra/cmrs_tasks.hpp>
#include <copse/algebra/flat_gpu.cuh>

namespace copse {

template run_report spmv(gpu&, float, cmrs<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(gpu&, double, cmrs<double> const&, vector_view<double const>, double, vector_view<double>);
template flat_plan<cmrs<float>>::flat_plan(gpu&, cmrs<float> const&);
template flat_plan<cmrs<double>>::flat_plan(gpu&, cmrs<double> const&);
template void spmv(gpu&, float, flat_plan<cmrs<float>> const&, vector_view<float const>, float, vector_view<float>);
template void spmv(gpu&, double, flat_plan<cmrs<double>> const&, vector_view<double const>, double,
                   vector_view<double>);

}  // namespace copse
