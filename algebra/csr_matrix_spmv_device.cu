// The device controller for products of compressed rows: compiled with -rdc=true into copse::device, found by run() in
// csr_matrix_spmv.cu.
#include <copse/algebra/csr_tasks.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_csr_matrix_spmv_device = 0;
}

namespace {

template <class T>
struct registered {
    template <class... Tasks>
    using controller = copse::register_device_controller<Tasks...>;
    copse::detail::csr_lane_tasks<T, controller> const by_lanes;
    copse::detail::csr_vector_tasks<T, controller> const by_vectors;
    copse::detail::csr_merge_tasks<T, controller> const by_merge_path;
    copse::detail::csr_scatter_tasks<T, controller> const transposed;
};

registered<float> const for_float;
registered<double> const for_double;

}  // namespace
