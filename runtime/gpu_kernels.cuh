// The kernels of the scheduler, one set per list of tasks. What they do is in block_drain.hpp and controller.hpp.
//
// The same tasks may be compiled with and without -rdc in one program. Kernels of one compilation must not stand in for
// those of the other when host code is linked, so everything that names a kernel lives in an inline namespace of its
// compilation.
#pragma once

#include <copse/runtime/controller.hpp>
#include <copse/runtime/gpu_worker.cuh>
#include <copse/runtime/push_group.hpp>
#include <cstdint>
#include <type_traits>

#ifdef __CUDACC_RDC__
#define COPSE_COMPILATION separable
#else
#define COPSE_COMPILATION whole
#endif

namespace copse::detail {

/// What a run says at its end.
template <int TaskCount>
struct run_result {
    queue_figures figures[TaskCount];
    failure_record failure;
};

/// Blocks per multiprocessor that the compiler is to leave room for: 64 registers a thread. Without the number it went
/// for 40 in the resident kernel of three small tasks, by spilling.
inline constexpr int blocks_per_multiprocessor = 8;

inline namespace COPSE_COMPILATION {

/// Blocks for one queue: draw until it is empty.
template <class Task, class Run>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    drain_kernel(__grid_constant__ Run const run) {
    __shared__ block_storage<Task> storage;
    gpu_block block(storage);
    drain_queue<Task>(block, run);
}

/// Resident blocks: draw from all queues until nothing is outstanding.
template <class... Tasks>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    resident_kernel(__grid_constant__ run_view<Tasks...> const run) {
    __shared__ block_storage<Tasks...> storage;
    gpu_block block(storage);
    drain_all_queues(block, run, static_cast<int>(blockIdx.x % sizeof...(Tasks)));
}

/// The first items of a run.
template <class Task, class Run>
__global__ void __launch_bounds__(block_threads)
    seed_kernel(__grid_constant__ Run const run, typename Task::item const* items, std::int64_t count,
                std::int64_t range_first, std::int64_t range_count) {
    std::int64_t const stride = std::int64_t{gridDim.x} * block_threads;
    std::int64_t const first = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
    for (std::int64_t i = first; i < count; i += stride)
        push_together<gpu_machine, Task>(coalesced_lanes(), run, items[i]);
    if constexpr (std::is_convertible_v<std::int64_t, typename Task::item>)
        if (first == 0) run.template push_range<gpu_machine, Task>(range_first, range_count);
}

/// For the host controller. One thread.
template <class Run>
__global__ void snapshot_kernel(__grid_constant__ Run const run, run_snapshot<Run::task_count>* seen) {
    *seen = look<gpu_machine>(run);
}

/// Once the run is over. One thread.
template <class... Tasks>
__global__ void result_kernel(__grid_constant__ run_view<Tasks...> const run, run_result<sizeof...(Tasks)>* result) {
    int i = 0;
    ((result->figures[i++] = run.template queue<Tasks>().figures()), ...);
    result->failure = run.control->failure;
}

}  // namespace COPSE_COMPILATION
}  // namespace copse::detail
