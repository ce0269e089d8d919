// The device controller for new values: compiled with -rdc=true into copse::device, found by run() in with_values.cu.
#include <copse/algebra/values/with_values_run.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_algebra_values_with_values_device = 0;
}

static copse::register_device_controller<copse::detail::copy_nodes> const for_copies;
static copse::register_device_controller<copse::detail::set_values<float>> const for_float;
static copse::register_device_controller<copse::detail::set_values<double>> const for_double;
