// The kernels of the scheduler. What they do is in block_drain.hpp and controller.hpp.
//
// The same tasks may be compiled with and without -rdc in one program. Kernels of one compilation must not stand in for
// those of the other when host code is linked, so everything that names a kernel lives in an inline namespace of its
// compilation.
#pragma once

#include <algorithm>
#include <copse/runtime/gpu/worker.cuh>
#include <copse/runtime/scheduler/controller.hpp>
#include <cstdint>

#ifdef __CUDACC_RDC__
#define COPSE_COMPILATION separable
#else
#define COPSE_COMPILATION whole
#endif

namespace copse::detail {

/// Blocks per multiprocessor that the compiler is to leave room for. Without a number it went for 40 registers in the
/// resident kernel of three small tasks, by spilling. 8 blocks leave a thread 64 registers. 7 leave it 72, of which the
/// resident kernel of SpMV's nine tasks spills two; 6 leave it 80, and it spills none. A task may want fewer
/// (task.hpp); of a run's tasks the one that wants fewest decides for the resident kernel.
inline constexpr int drain_blocks = 8;
inline constexpr int resident_blocks = 6;

inline namespace COPSE_COMPILATION {

/// Separable compilation does not know where shared memory will lie, and keeps addresses that are numbers otherwise:
/// the union of two leaves takes 114 registers instead of 78. Whoever wants fewer blocks than there might be gets 128
/// there. A compiler in a hurry (COPSE_CUDA_QUICK) calls functions that take more registers yet.
template <class Task>
constexpr int drain_blocks_of() {
    int constexpr wanted = task_resident_blocks<Task>(drain_blocks);
#if defined(__CUDACC_RDC__) && defined(COPSE_CUDA_QUICK)
    return 1;
#elif defined(__CUDACC_RDC__)
    return wanted < drain_blocks ? std::min(wanted, 4) : wanted;
#else
    return wanted;
#endif
}

/// Blocks for one queue: draw until it is empty. launch: its number in a trace.
template <class Task, class Run>
__global__ void __launch_bounds__(block_threads, drain_blocks_of<Task>())
    drain_kernel(__grid_constant__ Run const run, __grid_constant__ std::int32_t const launch) {
    __shared__ block_storage<Task> storage;
    gpu_block block(storage, launch);
    drain_queue<Task>(block, run);
}

/// Resident blocks: draw from all queues until nothing is outstanding.
template <class... Tasks>
__global__ void __launch_bounds__(block_threads, std::min({task_resident_blocks<Tasks>(resident_blocks)...}))
    resident_kernel(__grid_constant__ run_view<gpu_machine, Tasks...> const run) {
    __shared__ block_storage<Tasks...> storage;
    gpu_block block(storage, 0);
    drain_all_queues(block, run, static_cast<int>(blockIdx.x % sizeof...(Tasks)));
}

/// The first items of a queue.
template <class Item>
__global__ void __launch_bounds__(block_threads, drain_blocks)
    seed_kernel(__grid_constant__ push_target<Item, gpu_machine> const to, Item const* items, std::int64_t count,
                std::int64_t range_first, std::int64_t range_count) {
    std::int64_t const stride = std::int64_t{gridDim.x} * block_threads;
    std::int64_t const first = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
    for (std::int64_t i = first; i < count; i += stride) to.push_together(coalesced_lanes(), items[i]);
    if (first == 0) to.push_range(range_first, range_count);
}

}  // namespace COPSE_COMPILATION
}  // namespace copse::detail
