// The scheduler's suites on a GPU. Compiled twice: without -rdc=true for the host and persistent controllers (the tools
// of compute-sanitizer work on such programs), with it for the device controller.
#include <copse/runtime/gpu_run.cuh>
#include <gpu/on_gpu.hpp>
#include <runtime/scheduler/faults_suite.hpp>
#include <runtime/scheduler/scheduler_suite.hpp>

namespace copse::tests {

#ifdef __CUDACC_RDC__
using controllers = testing::Types<on_gpu<controller::device>>;
#else
using controllers = testing::Types<on_gpu<controller::persistent>, on_gpu<controller::host>>;
#endif
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, scheduler, controllers, controller_names);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, faults, controllers, controller_names);

}  // namespace copse::tests
