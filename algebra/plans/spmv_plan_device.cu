// The device controller for recording plans: compiled with -rdc=true into copse::device, found by run() in spmv_plan.cu.
#include <copse/algebra/plans/record.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_algebra_plans_spmv_plan_device = 0;
}

static copse::detail::record_tasks<copse::register_device_controller> const for_plans;
