// The device controller for products: compiled with -rdc=true into copse::device, found by run() in spmv.cu.
#include <copse/algebra/products/spmv_tasks.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_algebra_products_spmv_device = 0;
}

static copse::detail::spmv_tasks<float, copse::register_device_controller> const for_float;
static copse::detail::spmv_tasks<double, copse::register_device_controller> const for_double;
