// The worker's suite on a GPU.
#include <copse/runtime/gpu_run.cuh>
#include <gpu/on_gpu.hpp>
#include <runtime/worker_suite.hpp>

namespace copse::tests {

using controllers = testing::Types<on_gpu<controller::persistent>, on_gpu<controller::host>>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, worker, controllers, controller_names);

}  // namespace copse::tests
