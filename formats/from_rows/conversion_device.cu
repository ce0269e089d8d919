// The device controller for conversions: compiled with -rdc=true into copse::device, found by run() in conversion.cu.
#include <copse/formats/from_rows/conversion_tasks.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_formats_from_rows_conversion_device = 0;
}

static copse::detail::measuring_tasks<copse::register_device_controller> const measuring;
static copse::detail::filling_tasks<float, copse::register_device_controller> const for_float;
static copse::detail::filling_tasks<double, copse::register_device_controller> const for_double;
