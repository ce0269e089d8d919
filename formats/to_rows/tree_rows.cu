// From HiSparse to compressed rows on the gpu executor, under its persistent and host controllers; tree_rows_device.cu
// adds the device controller.
#include <copse/formats/flat/sharing.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/steps/gpu_steps.cuh>
#include <copse/formats/to_rows/tree_rows_run.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>
#include <copse/runtime/nvtx.hpp>

namespace copse {
namespace {

template <class T>
csr_matrix<T> convert_by_host(gpu& executor, hisparse<T> const& stored) {
    nvtx_range const range("copse conversion by the host");
    return csr_matrix<T>(executor, to_csr(stored));
}

}  // namespace

template <class T>
csr_matrix<T> to_csr_matrix(gpu& executor, hisparse<T> const& a) {
    nvtx_range const range("copse conversion to compressed rows");
    if (a.space() != executor.memory()->space())
        throw argument_error(
            "to_csr_matrix: the matrix is in host memory; to_csr() is for it, or make it with the gpu executor");
    auto const rows = detail::rows_on<T>(executor, detail::gpu_steps(executor), *a.content());
    csr_matrix<T> const stored = rows ? csr_matrix<T>(rows) : convert_by_host(executor, hisparse<T>(a.content()));
    return detail::with_state_of(stored, a.is_transposed(), a.scale());
}

template csr_matrix<float> to_csr_matrix(gpu&, hisparse<float> const&);
template csr_matrix<double> to_csr_matrix(gpu&, hisparse<double> const&);

}  // namespace copse
