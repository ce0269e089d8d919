// The device controller for products of CMRS: compiled with -rdc=true into copse::device, found by run() in
// cmrs_spmv.cu.
#include <copse/algebra/cmrs_tasks.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_cmrs_spmv_device = 0;
}

namespace {

template <class T>
struct registered {
    template <class... Tasks>
    using controller = copse::register_device_controller<Tasks...>;
    copse::detail::cmrs_tasks_256<T, controller> const with_256_sums;
    copse::detail::cmrs_tasks_512<T, controller> const with_512_sums;
    copse::detail::cmrs_scatter_tasks<T, controller> const transposed;
};

registered<float> const for_float;
registered<double> const for_double;

}  // namespace
