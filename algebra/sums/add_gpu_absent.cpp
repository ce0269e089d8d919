// Addition on the gpu executor in a library that was built without a CUDA toolkit: no gpu object exists to call it with.
#include <copse/algebra/add.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>

namespace copse {

template <class T>
hisparse<T> add(gpu&, std::type_identity_t<T>, hisparse<T> const&, std::type_identity_t<T>, hisparse<T> const&,
                add_options) {
    throw cuda_error("add: copse was built without a CUDA toolkit");
}

template hisparse<float> add<float>(gpu&, float, hisparse<float> const&, float, hisparse<float> const&, add_options);
template hisparse<double> add<double>(gpu&, double, hisparse<double> const&, double, hisparse<double> const&,
                                      add_options);

}  // namespace copse
