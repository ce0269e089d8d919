// The device controller for products of SELL-P: compiled with -rdc=true into copse::device, found by run() in
// sellp_spmv.cu.
#include <copse/algebra/sellp_tasks.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_sellp_spmv_device = 0;
}

namespace {

template <class T>
struct registered {
    template <class... Tasks>
    using controller = copse::register_device_controller<Tasks...>;
    copse::detail::sellp_tasks_32<T, controller> const by_32_lanes;
    copse::detail::sellp_tasks_64<T, controller> const by_64_lanes;
    copse::detail::sellp_tasks_128<T, controller> const by_128_lanes;
    copse::detail::sellp_scatter_tasks<T, controller> const transposed;
};

registered<float> const for_float;
registered<double> const for_double;

}  // namespace
