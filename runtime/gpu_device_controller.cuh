// The device controller (hisparse §4.2): one warp that stays on the GPU and launches kernels by dynamic parallelism.
// Compiled with -rdc=true and linked with cudadevrt only; copse::device sees to both.
//
// An operation of the library is compiled without -rdc=true, in copse::copse. It gets the device controller from a file
// of a few lines in copse::device, which copse_add_operation (cmake/copse_operation.cmake) writes for each operation:
//
//   #include <copse/algebra/sums/add_operation.hpp>
//   #include <copse/runtime/gpu_device_controller.cuh>
//   extern "C" { int copse_anchor_algebra_sums_add_device = 0; }     // so that this file is taken out of its archive
//   static copse::detail::add_runs<copse::register_device_controller> const registered;    // the tasks of each run()
//
// For tasks of your own, in the order in which run() gets them:
//   static copse::register_device_controller<first, second> const registered;
#pragma once

#ifndef __CUDACC_RDC__
#error "copse: the device controller is compiled with -rdc=true (CUDA_SEPARABLE_COMPILATION in CMake)"
#endif

#include <algorithm>
#include <copse/runtime/gpu/controller_registry.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <copse/runtime/gpu/kernels.cuh>
#include <mutex>
#include <set>

namespace copse {
namespace detail {
inline namespace COPSE_COMPILATION {

/// Launches from the device. Nothing waits for the children here, but the controller's kernel, and with it the stream,
/// is not done before they are.
template <class Run>
struct device_launcher {
    Run const& run;

    __device__ static std::uint64_t now() { return nanoseconds(); }

    template <class Task>
    __device__ int launch(std::int64_t blocks) const {
        // A launch copies the run's view. It is read through an address that is known here only, or nvcc reads all of
        // it in front of the controller's loop and keeps it: 255 registers, and up to 620 bytes of them spilled.
        std::int64_t const nothing = blocks >> 62;
        auto const& view = *reinterpret_cast<Run const*>(reinterpret_cast<std::byte const*>(&run) + nothing);
        drain_kernel<Task, Run><<<static_cast<unsigned>(blocks), block_threads, 0, cudaStreamFireAndForget>>>(view);
        cudaError_t const code = cudaGetLastError();
        return code == cudaErrorLaunchPendingCountExceeded ? launch_later : static_cast<int>(code);
    }
};

/// One block of one warp: a child may start while its parent runs, but not where the parent takes all the room.
template <class Run>
__global__ void __launch_bounds__(32) controller_kernel(__grid_constant__ Run const run, launch_policy const policy) {
    device_launcher<Run> launcher{run};
    control_lane(static_cast<int>(threadIdx.x), block_threads, run, policy, launcher);
}

/// Asks for a multiprocessor's memory to be divided for all kernels of a run alike, so that as many blocks of each have
/// room as the compiler left registers for. The driver chooses for each launch of the host's; between kernels that ask
/// for different shares a multiprocessor has to be empty first. Asks once for each device, since every run comes here.
template <class... Tasks>
void share_memory_alike() {
    using run = run_view<gpu_machine, Tasks...>;
    static std::mutex one_at_a_time;
    static std::set<int> asked;
    int device = 0, whole = 0, reserved = 0;
    COPSE_CUDA_TRY(cudaGetDevice(&device));
    std::scoped_lock const lock(one_at_a_time);
    if (asked.contains(device)) return;
    COPSE_CUDA_TRY(cudaDeviceGetAttribute(&whole, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    COPSE_CUDA_TRY(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device));
    int const wanted =
        std::max({drain_blocks_of<Tasks>() * (static_cast<int>(sizeof(block_storage<Tasks>)) + reserved)...});
    int const percent = std::min(100, static_cast<int>((std::int64_t{100} * wanted + whole - 1) / whole));
    auto const ask = [&](auto* kernel) {
        COPSE_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
    };
    ask(&controller_kernel<run>);
    (ask(&drain_kernel<Tasks, run>), ...);
    asked.insert(device);
}

template <class... Tasks>
void start_device_controller(run_view<gpu_machine, Tasks...> const& run, launch_policy const& policy, void* stream) {
    static_assert(sizeof(run) <= 4096,
                  "copse: the device controller hands the tasks to the kernels it launches as an argument, which the "
                  "device runtime limits to 4 KiB: fewer tasks in a run, or smaller ones");
    share_memory_alike<Tasks...>();
    controller_kernel<<<1, 32, 0, static_cast<cudaStream_t>(stream)>>>(run, policy);
    COPSE_CUDA_TRY(cudaGetLastError());
}

}  // namespace COPSE_COMPILATION
}  // namespace detail

/// Makes the device controller available to every run() over exactly these tasks in this program. An object of static
/// storage.
template <class... Tasks>
struct register_device_controller {
    register_device_controller() {
        detail::device_controller_of<Tasks...> = &detail::start_device_controller<Tasks...>;
    }
};

}  // namespace copse
