// What a run on the GPU tells the host, through page-locked memory that kernels write to. The kernels know queues
// without their items, so that they are compiled once and not for every run.
#pragma once

#include <copse/runtime/gpu/machine.cuh>
#include <copse/runtime/gpu/state.cuh>
#include <copse/runtime/scheduler/controller.hpp>
#include <copse/runtime/scheduler/queue.hpp>
#include <cstdint>

namespace copse::detail {

inline constexpr int most_gpu_tasks = 64;

struct run_mailbox {
    std::int64_t fill[most_gpu_tasks];  // items that may be drawn
    bool finished;
    std::uint64_t nanoseconds;  // the GPU's clock, at the look
    queue_figures figures[most_gpu_tasks];
    failure_record failure;
    char refusal[refusal_bytes];  // its words
};

/// A run without its tasks and items.
template <int most_queues>
struct bare_run_of_most {
    run_control<gpu_machine>* control;
    int queue_count;
    bare_queue<gpu_machine> queues[most_queues];
};
using bare_run = bare_run_of_most<most_gpu_tasks>;

/// Fill levels and whether the run is over, for the host controller. Waits.
void look(bare_run const& run, run_mailbox& mailbox, cudaStream_t stream);

/// Figures and failure of a run that is over. Waits.
void collect(bare_run const& run, run_mailbox& mailbox, cudaStream_t stream);

/// *to = the GPU's clock in nanoseconds, in the order of the stream. For the trace.
void write_clock(std::uint64_t* to, cudaStream_t stream);

}  // namespace copse::detail
