// New values on the gpu executor in a library that was built without a CUDA toolkit: no gpu object exists to call with.
#include <copse/algebra/with_values.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>

namespace copse {

template <class T>
hisparse<T> with_values(gpu&, hisparse<T> const&, std::type_identity_t<vector_view<T const>>) {
    throw cuda_error("with_values: copse was built without a CUDA toolkit");
}

template hisparse<float> with_values(gpu&, hisparse<float> const&, vector_view<float const>);
template hisparse<double> with_values(gpu&, hisparse<double> const&, vector_view<double const>);

}  // namespace copse
