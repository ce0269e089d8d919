// Plans on the gpu executor in a library that was built without a CUDA toolkit: no gpu object exists to call them with.
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/plans/replay_choices.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>

namespace copse {
namespace {

[[noreturn]] void refuse() {
    throw cuda_error("spmv_plan: copse was built without a CUDA toolkit");
}

}  // namespace

template <class T>
spmv_plan<T>::spmv_plan(gpu&, hisparse<T> const& a) : matrix_(a) {
    refuse();
}
template <class T>
void spmv(gpu&, std::type_identity_t<T>, spmv_plan<T> const&, std::type_identity_t<vector_view<T const>>,
          std::type_identity_t<T>, std::type_identity_t<vector_view<T>>) {
    refuse();
}
template <class T>
void spmv_async(gpu&, std::type_identity_t<T>, spmv_plan<T> const&, std::type_identity_t<vector_view<T const>>,
                std::type_identity_t<T>, std::type_identity_t<vector_view<T>>) {
    refuse();
}
void spmv(gpu&, double, spmv_plan<float> const&, vector_view<double const>, double, vector_view<double>) {
    refuse();
}
void spmv_async(gpu&, double, spmv_plan<float> const&, vector_view<double const>, double, vector_view<double>) {
    refuse();
}
template <class T>
void detail::replay_on_gpu(gpu&, T, spmv_plan<T> const&, vector_view<T const>, T, vector_view<T>,
                           replay_choices const&) {
    refuse();
}

template spmv_plan<float>::spmv_plan(gpu&, hisparse<float> const&);
template spmv_plan<double>::spmv_plan(gpu&, hisparse<double> const&);
template void spmv(gpu&, float, spmv_plan<float> const&, vector_view<float const>, float, vector_view<float>);
template void spmv(gpu&, double, spmv_plan<double> const&, vector_view<double const>, double, vector_view<double>);
template void spmv_async(gpu&, float, spmv_plan<float> const&, vector_view<float const>, float, vector_view<float>);
template void spmv_async(gpu&, double, spmv_plan<double> const&, vector_view<double const>, double,
                         vector_view<double>);
template void detail::replay_on_gpu(gpu&, float, spmv_plan<float> const&, vector_view<float const>, float,
                                    vector_view<float>, replay_choices const&);
template void detail::replay_on_gpu(gpu&, double, spmv_plan<double> const&, vector_view<double const>, double,
                                    vector_view<double>, replay_choices const&);

}  // namespace copse
