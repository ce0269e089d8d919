// Conversion on the gpu executor in a library that was built without a CUDA toolkit: no gpu object exists for it.
#include <copse/formats/csr5.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>

namespace copse {

template <class T>
csr5<T>::csr5(gpu&, csr<T> const&, csr5_options)
    : csr5([]() -> std::shared_ptr<csr5_content<T> const> {
          throw cuda_error("csr5: copse was built without a CUDA toolkit");
      }()) {}

template csr5<float>::csr5(gpu&, csr<float> const&, csr5_options);
template csr5<double>::csr5(gpu&, csr<double> const&, csr5_options);

}  // namespace copse
