// Products on the gpu executor in a library that was built without a CUDA toolkit: no gpu object exists to call them with.
#include <copse/algebra/spmv.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>

namespace copse {

template <class T>
run_report spmv(gpu&, std::type_identity_t<T>, hisparse<T> const&, std::type_identity_t<vector_view<T const>>,
                std::type_identity_t<T>, std::type_identity_t<vector_view<T>>) {
    throw cuda_error("spmv: copse was built without a CUDA toolkit");
}

template run_report spmv<float>(gpu&, float, hisparse<float> const&, vector_view<float const>, float,
                                vector_view<float>);
template run_report spmv<double>(gpu&, double, hisparse<double> const&, vector_view<double const>, double,
                                 vector_view<double>);

}  // namespace copse
