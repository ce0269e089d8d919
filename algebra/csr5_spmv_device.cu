// The device controller for products of CSR5: compiled with -rdc=true into copse::device, found by run() in
// csr5_spmv.cu.
#include <copse/algebra/csr5_tasks.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_csr5_spmv_device = 0;
}

static copse::detail::csr5_tasks<float, copse::register_device_controller> const for_float;
static copse::detail::csr5_tasks<double, copse::register_device_controller> const for_double;
static copse::detail::csr5_scatter_tasks<float, copse::register_device_controller> const transposed_for_float;
static copse::detail::csr5_scatter_tasks<double, copse::register_device_controller> const transposed_for_double;
