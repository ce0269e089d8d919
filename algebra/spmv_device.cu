// The device controller for products: compiled with -rdc=true into copse::device, found by run() in spmv.cu.
#include <copse/algebra/product_factor.hpp>
#include <copse/algebra/spmv_tasks.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_spmv_device = 0;
}

static copse::detail::spmv_tasks<float, copse::register_device_controller> const for_float;
static copse::detail::spmv_tasks<double, copse::register_device_controller> const for_double;
// Behind products by a factor that is not finite, those of flat formats too.
static copse::register_device_controller<copse::detail::scale_sums<float>> const for_sums_of_float;
static copse::register_device_controller<copse::detail::scale_sums<double>> const for_sums_of_double;
