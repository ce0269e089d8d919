// The device controller for additions: compiled with -rdc=true into copse::device, found by run() in add.cu.
#include <copse/algebra/sums/add_gather.hpp>
#include <copse/algebra/sums/add_overflow.hpp>
#include <copse/algebra/sums/add_tasks.hpp>
#include <copse/algebra/sums/add_wide_nodes.hpp>
#include <copse/algebra/sums/count_nodes.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_algebra_sums_add_device = 0;
}

static copse::detail::add_tasks<float, copse::register_device_controller> const for_float;
static copse::detail::add_tasks<double, copse::register_device_controller> const for_double;
static copse::detail::gather_tasks<float, copse::register_device_controller> const gathering_for_float;
static copse::detail::gather_tasks<double, copse::register_device_controller> const gathering_for_double;
static copse::detail::move_tasks<float, copse::register_device_controller> const moving_for_float;
static copse::detail::move_tasks<double, copse::register_device_controller> const moving_for_double;
static copse::register_device_controller<copse::detail::count_nodes> const for_counting;
static copse::register_device_controller<copse::detail::find_overflow<float>> const for_floats_overflow;
static copse::register_device_controller<copse::detail::find_overflow<double>> const for_doubles_overflow;
