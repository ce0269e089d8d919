// Conversion to HiSparse on the gpu executor, under its persistent and host controllers; conversion_device.cu adds the
// device controller.
#include <copse/formats/from_rows/conversion_run.hpp>
#include <copse/formats/steps/gpu_steps.cuh>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>

namespace copse {
namespace {

/// Null where the host's conversion says what is wrong, or does it.
template <class T, class Matrix>
std::shared_ptr<hisparse_content const> convert(gpu& executor, Matrix const& a, hisparse_options options) {
    nvtx_range const range("copse conversion to hisparse");
    detail::gpu_steps steps(executor);
    return detail::tree_maker<T, gpu, detail::gpu_steps>(executor, steps, options).make(a);
}

/// What numbers of 32 bits do not suffice for, and what is not a matrix.
template <class T, class Matrix>
hisparse<T> convert_by_host(gpu& executor, Matrix const& a, hisparse_options options) {
    nvtx_range const range("copse conversion by the host");
    return hisparse<T>(executor.memory(), a, options);
}

}  // namespace

template <class T>
hisparse<T>::hisparse(gpu& executor, csr<T> const& a, hisparse_options options)
    : content_(convert<T>(executor, a, options)) {
    if (!content_) *this = convert_by_host<T>(executor, a, options);
}

template <class T>
hisparse<T>::hisparse(gpu& executor, coo<T> const& a, hisparse_options options)
    : content_(convert<T>(executor, a, options)) {
    if (!content_) *this = convert_by_host<T>(executor, a, options);
}

template <class T>
hisparse<T>::hisparse(gpu& executor, csr_matrix<T> const& a, hisparse_options options) {
    if (a.space() != executor.memory()->space())
        throw argument_error("hisparse: the matrix is in host memory; to_csr() gives what this converts from there");
    content_ = convert<T>(executor, *a.content(), options);
    transposed_ = a.is_transposed();
    scale_ = a.scale();
    if (!content_) *this = convert_by_host<T>(executor, a, options);
}

template hisparse<float>::hisparse(gpu&, csr_matrix<float> const&, hisparse_options);
template hisparse<double>::hisparse(gpu&, csr_matrix<double> const&, hisparse_options);
template hisparse<float>::hisparse(gpu&, csr<float> const&, hisparse_options);
template hisparse<float>::hisparse(gpu&, coo<float> const&, hisparse_options);
template hisparse<double>::hisparse(gpu&, csr<double> const&, hisparse_options);
template hisparse<double>::hisparse(gpu&, coo<double> const&, hisparse_options);

}  // namespace copse
