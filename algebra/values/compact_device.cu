// The device controller for compaction: compiled with -rdc=true into copse::device, found by run() in compact.cu.
#include <copse/algebra/values/compact_run.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_algebra_values_compact_device = 0;
}

static copse::register_device_controller<copse::detail::copy_leaves> const for_leaves;
