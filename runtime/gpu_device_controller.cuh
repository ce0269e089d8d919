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

    __device__ int launch(int queue, std::int64_t blocks, std::int32_t number) const {
        // A launch copies the run's view. It is read through an address that is known here only, or nvcc reads all of
        // it in front of the controller's loop and keeps it: 255 registers, and up to 620 bytes of them spilled.
        std::int64_t const nothing = blocks >> 62;
        auto const& view = *reinterpret_cast<Run const*>(reinterpret_cast<std::byte const*>(&run) + nothing);
        Run::with_task(queue, [&]<class Task>() {
            drain_kernel<Task, Run>
                <<<static_cast<unsigned>(blocks), block_threads, 0, cudaStreamFireAndForget>>>(view, number);
        });
        cudaError_t const code = cudaGetLastError();
        return code == cudaErrorLaunchPendingCountExceeded ? launch_later : static_cast<int>(code);
    }
};

/// Until the run ends.
template <class Run>
__device__ void hold_place(Run const& run) {
    while (!run.control->finished() && !run.control->stopped()) __nanosleep(4000);
}

/// The first block controls. One more on each of the other multiprocessors does nothing but stay: where no block is, a
/// kernel launched from the GPU has the multiprocessor's memory divided as one block of it needs, whatever it prefers,
/// and then no second one has room. Where a block of the host's launch is, memory stays divided as that asked for.
/// (An H200: 134 blocks with 9 KB of shared memory at once, 22 on the one multiprocessor where the controller was.)
/// One warp each: a child may start while its parent runs, but not where the parent takes all the room.
template <class Run>
__global__ void __launch_bounds__(32) controller_kernel(__grid_constant__ Run const run, launch_policy const policy) {
    if (blockIdx.x > 0) return hold_place(run);
    auto const lane = static_cast<int>(threadIdx.x);
    static_assert(Run::task_count <= most_watched_queues,
                  "copse: the device controller watches at most 32 task types, one per lane");
    if (lane >= Run::task_count) return;
    watched_queue<gpu_machine> watched{};
    Run::with_task(lane, [&]<class Task>() {
        watched.queue = bare_queue_of<Task>(run);
        watched.items_per_block = block_threads / Task::width;
    });
    device_launcher<Run> launcher{run};
    control_lane(lane, watched, run, policy, launcher);
}

inline int device_attribute(cudaDeviceAttr which) {
    int device = 0, value = 0;
    COPSE_CUDA_TRY(cudaGetDevice(&device));
    COPSE_CUDA_TRY(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

/// Asks for a multiprocessor's memory to be divided so that beside the controller's blocks as many of each task have
/// room as the compiler left registers for. Asks once for each device, since every run comes here.
template <class... Tasks>
void share_memory_alike() {
    using run = run_view<gpu_machine, Tasks...>;
    static std::mutex one_at_a_time;
    static std::set<int> asked;
    int device = 0;
    COPSE_CUDA_TRY(cudaGetDevice(&device));
    std::scoped_lock const lock(one_at_a_time);
    if (asked.contains(device)) return;
    int const whole = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    int const reserved = device_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    int const wanted =
        reserved +
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
    static_assert(sizeof(run) + sizeof(std::int32_t) <= 4096,
                  "copse: the device controller hands the tasks to the kernels it launches as an argument, which the "
                  "device runtime limits to 4 KiB: fewer tasks in a run, or smaller ones");
    share_memory_alike<Tasks...>();
    auto const blocks = static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
    controller_kernel<<<blocks, 32, 0, static_cast<cudaStream_t>(stream)>>>(run, policy);
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
