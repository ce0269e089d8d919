// The trace's suite on a GPU. Compiled twice, as the scheduler's.
#include <copse/runtime/gpu_run.cuh>
#include <gpu/on_gpu.hpp>
#include <runtime/trace/trace_suite.hpp>

namespace copse::tests {

#ifdef __CUDACC_RDC__
using traced_controllers = testing::Types<on_gpu<controller::device>>;
#else
using traced_controllers = testing::Types<on_gpu<controller::persistent>, on_gpu<controller::host>>;
#endif
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, traced, traced_controllers, controller_names);

}  // namespace copse::tests
