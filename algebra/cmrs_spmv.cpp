// Products of CMRS on the CPU's executors; cmrs_spmv.cu has the gpu's.
#include <copse/algebra/cmrs_cpu.hpp>
#include <copse/algebra/cmrs_tasks.hpp>
#include <copse/algebra/flat_host.hpp>

namespace copse {

template run_report spmv(cpu&, float, cmrs<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(cpu&, double, cmrs<double> const&, vector_view<double const>, double, vector_view<double>);
template run_report spmv(emulated&, float, cmrs<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(emulated&, double, cmrs<double> const&, vector_view<double const>, double,
                         vector_view<double>);
template flat_plan<cmrs<float>>::flat_plan(cpu&, cmrs<float> const&);
template flat_plan<cmrs<double>>::flat_plan(cpu&, cmrs<double> const&);
template flat_plan<cmrs<float>>::flat_plan(emulated&, cmrs<float> const&);
template flat_plan<cmrs<double>>::flat_plan(emulated&, cmrs<double> const&);
template void spmv(cpu&, float, flat_plan<cmrs<float>> const&, vector_view<float const>, float, vector_view<float>);
template void spmv(cpu&, double, flat_plan<cmrs<double>> const&, vector_view<double const>, double,
                   vector_view<double>);
template void spmv(emulated&, float, flat_plan<cmrs<float>> const&, vector_view<float const>, float,
                   vector_view<float>);
template void spmv(emulated&, double, flat_plan<cmrs<double>> const&, vector_view<double const>, double,
                   vector_view<double>);

}  // namespace copse
