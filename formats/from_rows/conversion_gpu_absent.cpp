// Conversion on the gpu executor in a library that was built without a CUDA toolkit: no gpu object exists for it.
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>

namespace copse {

template <class T>
hisparse<T>::hisparse(gpu&, csr<T> const&, hisparse_options) {
    throw cuda_error("hisparse: copse was built without a CUDA toolkit");
}

template <class T>
hisparse<T>::hisparse(gpu&, coo<T> const&, hisparse_options) {
    throw cuda_error("hisparse: copse was built without a CUDA toolkit");
}

template <class T>
hisparse<T>::hisparse(gpu&, csr_matrix<T> const&, hisparse_options) {
    throw cuda_error("hisparse: copse was built without a CUDA toolkit");
}

template <class T>
csr_matrix<T> to_csr_matrix(gpu&, hisparse<T> const&) {
    throw cuda_error("hisparse: copse was built without a CUDA toolkit");
}

template csr_matrix<float> to_csr_matrix(gpu&, hisparse<float> const&);
template csr_matrix<double> to_csr_matrix(gpu&, hisparse<double> const&);
template hisparse<float>::hisparse(gpu&, csr_matrix<float> const&, hisparse_options);
template hisparse<double>::hisparse(gpu&, csr_matrix<double> const&, hisparse_options);
template hisparse<float>::hisparse(gpu&, csr<float> const&, hisparse_options);
template hisparse<float>::hisparse(gpu&, coo<float> const&, hisparse_options);
template hisparse<double>::hisparse(gpu&, csr<double> const&, hisparse_options);
template hisparse<double>::hisparse(gpu&, coo<double> const&, hisparse_options);

}  // namespace copse
