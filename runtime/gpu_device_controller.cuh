// The device controller (hisparse §4.2): one warp that stays on the GPU and launches kernels by dynamic parallelism.
//
// Its kernels exist only where they are compiled with -rdc=true and linked with cudadevrt. Code that is not leaves a
// place for them, `device_controller_of<Tasks...>`, which a file that is fills in before main():
//
//   // sum_device.cu, in copse_device (see copse_add_device_source in runtime/CMakeLists.txt)
//   #include <copse/algebra/sum_tasks.cuh>
//   #include <copse/runtime/gpu_device_controller.cuh>
//   extern "C" { int copse_anchor_sum_device = 0; }                  // what the link line asks for
//   static copse::register_device_controller<sum_rows, sum_columns> const here;      // the tasks as run() gets them,
//   in order
#pragma once

#include <copse/runtime/controller.hpp>
#include <copse/runtime/cuda_try.cuh>
#include <copse/runtime/run_view.hpp>

#ifdef __CUDACC_RDC__
#include <copse/runtime/gpu_kernels.cuh>
#endif

namespace copse {
namespace detail {

/// Starts a run's controller on the stream. Throws cuda_error.
template <class... Tasks>
using device_controller = void (*)(run_view<Tasks...> const& run, launch_policy const& policy, cudaStream_t stream);

template <class... Tasks>
inline device_controller<Tasks...> device_controller_of = nullptr;

#ifdef __CUDACC_RDC__

inline namespace COPSE_COMPILATION {

/// Launches from the device. Children start at once if there is room for them; nothing waits for them here, but the
/// controller's kernel, and with it the stream, is not done before they are.
template <class Run>
struct device_launcher {
    Run const& run;

    __device__ static std::uint64_t now() { return nanoseconds(); }

    template <class Task>
    __device__ int launch(std::int64_t blocks) const {
        drain_kernel<Task, Run><<<static_cast<unsigned>(blocks), block_threads, 0, cudaStreamFireAndForget>>>(run);
        cudaError_t const code = cudaGetLastError();
        if (code == cudaErrorLaunchPendingCountExceeded) return launch_later;
        return static_cast<int>(code);
    }
};

/// One block of one warp: a child may start while its parent runs, but nothing promises it to a parent that fills the
/// GPU.
template <class Run>
__global__ void __launch_bounds__(32) controller_kernel(__grid_constant__ Run const run, launch_policy const policy) {
    device_launcher<Run> launcher{run};
    control_lane<gpu_machine>(static_cast<int>(threadIdx.x), block_threads, run, policy, launcher);
}

template <class... Tasks>
void start_device_controller(run_view<Tasks...> const& run, launch_policy const& policy, cudaStream_t stream) {
    static_assert(sizeof(run) <= 4096,
                  "copse: the device controller hands the tasks to the kernels it launches as an argument, which the "
                  "device runtime limits to 4 KiB: fewer tasks in a run, or smaller ones");
    controller_kernel<<<1, 32, 0, stream>>>(run, policy);
    COPSE_CUDA_TRY(cudaGetLastError());
}

}  // namespace COPSE_COMPILATION

#endif
}  // namespace detail

#ifdef __CUDACC_RDC__

/// Makes the device controller available to every run() over exactly these tasks in this program. An object of static
/// storage.
template <class... Tasks>
struct register_device_controller {
    register_device_controller() {
        detail::device_controller_of<Tasks...> = &detail::start_device_controller<Tasks...>;
    }
};

#endif
}  // namespace copse
