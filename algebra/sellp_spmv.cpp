// Products of SELL-P on the CPU's executors; sellp_spmv.cu has the gpu's.
#include <copse/algebra/flat_host.hpp>
#include <copse/algebra/sellp_cpu.hpp>
#include <copse/algebra/sellp_tasks.hpp>

namespace copse {

template run_report spmv(cpu&, float, sellp<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(cpu&, double, sellp<double> const&, vector_view<double const>, double, vector_view<double>);
template run_report spmv(emulated&, float, sellp<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(emulated&, double, sellp<double> const&, vector_view<double const>, double,
                         vector_view<double>);
template flat_plan<sellp<float>>::flat_plan(cpu&, sellp<float> const&);
template flat_plan<sellp<double>>::flat_plan(cpu&, sellp<double> const&);
template flat_plan<sellp<float>>::flat_plan(emulated&, sellp<float> const&);
template flat_plan<sellp<double>>::flat_plan(emulated&, sellp<double> const&);
template void spmv(cpu&, float, flat_plan<sellp<float>> const&, vector_view<float const>, float, vector_view<float>);
template void spmv(cpu&, double, flat_plan<sellp<double>> const&, vector_view<double const>, double,
                   vector_view<double>);
template void spmv(emulated&, float, flat_plan<sellp<float>> const&, vector_view<float const>, float,
                   vector_view<float>);
template void spmv(emulated&, double, flat_plan<sellp<double>> const&, vector_view<double const>, double,
                   vector_view<double>);

}  // namespace copse
