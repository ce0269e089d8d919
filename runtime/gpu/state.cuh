// What a gpu executor keeps from one run to the next: a stream, memory for queues, a page-locked mailbox.
#pragma once

#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu/memory.cuh>
#include <cstdint>
#include <memory>
#include <mutex>

namespace copse::detail {

/// Blocks of block_threads threads of a kernel that are resident on the whole current device at once. Asks CUDA once
/// for each kernel and device, which loads the kernel: CUDA otherwise does that at its first launch, and may then wait
/// for the device or end a capture. From any thread. Throws cuda_error.
int resident_blocks_of(void const* kernel);

class gpu_state {
  public:
    /// stream: the caller's, or null.
    gpu_state(int device, cudaStream_t stream) : memory(std::make_shared<gpu_memory>(device, stream)) {}
    ~gpu_state();
    gpu_state(gpu_state const&) = delete;
    gpu_state& operator=(gpu_state const&) = delete;

    int device() const noexcept { return memory->device(); }
    cudaStream_t stream() const noexcept { return memory->stream(); }

    /// How many kernels launched on the device may wait to start: `wanted` where CUDA grants it, else what it has.
    std::int64_t pending_launches(std::int64_t wanted);

    std::shared_ptr<gpu_memory> memory;
    std::mutex one_run_at_a_time;
    grown_memory workspace{memory.get()};                // the queues of a run
    grown_memory seeds{memory.get()};                    // its first items
    grown_memory mailbox = grown_memory::page_locked();  // what kernels tell the host
};

/// Until all work on the executor's stream is done. Throws cuda_error.
void wait_for_stream(gpu& executor);

}  // namespace copse::detail
