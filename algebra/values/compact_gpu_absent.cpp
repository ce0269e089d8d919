// Compaction on the gpu executor in a library that was built without a CUDA toolkit: no gpu object exists to call with.
#include <copse/algebra/compact.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>

namespace copse {

template <class T>
hisparse<T> compact(gpu&, hisparse<T> const&, compact_options) {
    throw cuda_error("compact: copse was built without a CUDA toolkit");
}

template hisparse<float> compact(gpu&, hisparse<float> const&, compact_options);
template hisparse<double> compact(gpu&, hisparse<double> const&, compact_options);

}  // namespace copse
