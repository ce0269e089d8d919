// Flat formats on the gpu executor in a library that was built without a CUDA toolkit: no gpu object exists to call
// them with.
#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>

namespace copse {
namespace {

[[noreturn]] void refuse() {
    throw cuda_error("spmv: copse was built without a CUDA toolkit");
}

}  // namespace

template <flat_format Matrix>
run_report spmv(gpu&, typename Matrix::value_type, Matrix const&, vector_view<typename Matrix::value_type const>,
                typename Matrix::value_type, vector_view<typename Matrix::value_type>) {
    refuse();
}
template <flat_format Matrix>
flat_plan<Matrix>::flat_plan(gpu&, Matrix const& a) : matrix_(a) {
    refuse();
}
template <flat_format Matrix>
void spmv(gpu&, typename Matrix::value_type, flat_plan<Matrix> const&, vector_view<typename Matrix::value_type const>,
          typename Matrix::value_type, vector_view<typename Matrix::value_type>) {
    refuse();
}

template run_report spmv(gpu&, float, csr_matrix<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(gpu&, double, csr_matrix<double> const&, vector_view<double const>, double,
                         vector_view<double>);
template flat_plan<csr_matrix<float>>::flat_plan(gpu&, csr_matrix<float> const&);
template flat_plan<csr_matrix<double>>::flat_plan(gpu&, csr_matrix<double> const&);
template void spmv(gpu&, float, flat_plan<csr_matrix<float>> const&, vector_view<float const>, float,
                   vector_view<float>);
template void spmv(gpu&, double, flat_plan<csr_matrix<double>> const&, vector_view<double const>, double,
                   vector_view<double>);

template run_report spmv(gpu&, float, csr5<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(gpu&, double, csr5<double> const&, vector_view<double const>, double, vector_view<double>);
template flat_plan<csr5<float>>::flat_plan(gpu&, csr5<float> const&);
template flat_plan<csr5<double>>::flat_plan(gpu&, csr5<double> const&);
template void spmv(gpu&, float, flat_plan<csr5<float>> const&, vector_view<float const>, float, vector_view<float>);
template void spmv(gpu&, double, flat_plan<csr5<double>> const&, vector_view<double const>, double,
                   vector_view<double>);

template run_report spmv(gpu&, float, sellp<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(gpu&, double, sellp<double> const&, vector_view<double const>, double, vector_view<double>);
template flat_plan<sellp<float>>::flat_plan(gpu&, sellp<float> const&);
template flat_plan<sellp<double>>::flat_plan(gpu&, sellp<double> const&);
template void spmv(gpu&, float, flat_plan<sellp<float>> const&, vector_view<float const>, float, vector_view<float>);
template void spmv(gpu&, double, flat_plan<sellp<double>> const&, vector_view<double const>, double,
                   vector_view<double>);

template run_report spmv(gpu&, float, cmrs<float> const&, vector_view<float const>, float, vector_view<float>);
template run_report spmv(gpu&, double, cmrs<double> const&, vector_view<double const>, double, vector_view<double>);
template flat_plan<cmrs<float>>::flat_plan(gpu&, cmrs<float> const&);
template flat_plan<cmrs<double>>::flat_plan(gpu&, cmrs<double> const&);
template void spmv(gpu&, float, flat_plan<cmrs<float>> const&, vector_view<float const>, float, vector_view<float>);
template void spmv(gpu&, double, flat_plan<cmrs<double>> const&, vector_view<double const>, double,
                   vector_view<double>);

}  // namespace copse
