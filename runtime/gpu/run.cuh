// A run on a GPU as the host sees it, without the types of its tasks; gpu_run.cuh adds what needs them. Compiled once.
#pragma once

#include <algorithm>
#include <copse/runtime/gpu/mailbox.cuh>
#include <copse/runtime/gpu/state.cuh>
#include <copse/runtime/scheduler/host_run.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace copse::detail {

/// Blocks that `items` items need, at least one and at most `most`.
constexpr int blocks_for(std::int64_t items, std::int64_t items_per_block, int most) {
    std::int64_t const needed = (items + items_per_block - 1) / items_per_block;
    return static_cast<int>(std::clamp<std::int64_t>(needed, 1, most));
}

/// A run on its way.
struct gpu_run {
    gpu const& executor;
    gpu_state& state;
    fact_list tasks;
    run_layout layout;
    bare_run bare;
    run_mailbox& mailbox;
    std::vector<std::uint64_t> launches;  // by the host, for each task
    // Where the run is traced:
    trace* traced = nullptr;
    std::int64_t host_begin = 0;
    std::vector<trace_record> host_launches = {};
    copy_with_report copy = {};

    cudaStream_t stream() const { return state.stream(); }
};

/// Lays out the queues in the executor's workspace and zeroes them.
gpu_run begin_run(gpu const& executor, run_options const& options, fact_list tasks);

/// The controllers. `view` is what the kernels get; `kernels` has one for each task.
void control_by_residents(gpu_run& run, void const* kernel, void const* view);
void control_from_host(gpu_run& run, std::span<void const* const> kernels, void const* view);
launch_policy policy_of(gpu_run const& run);
/// Throws cuda_error, which says why there is none for these tasks.
[[noreturn]] void refuse_device_controller();

/// While it lives, a stop cancels the run. Does nothing for a token that nobody can stop.
/// The stop reaches the run in the failure record in device memory, which blocks look at once for each batch anyway. It
/// is written by a copy on a stream of its own: a copy needs no multiprocessor, so that it goes beside resident blocks.
class gpu_cancellation {
  public:
    /// The device is the current one. Waits until the run's memory is zeroed. Throws cuda_error.
    gpu_cancellation(gpu_run const& run, std::stop_token const& stop);
    ~gpu_cancellation();
    /// Waits for the run; from then on no stop writes the failure, which may be read. If no stop is possible, does
    /// nothing. Throws cuda_error.
    void end();

    gpu_cancellation(gpu_cancellation const&) = delete;
    gpu_cancellation& operator=(gpu_cancellation const&) = delete;

  private:
    struct cancel {
        gpu_cancellation* run;
        void operator()() const noexcept { run->write(); }
    };
    void write() const noexcept;

    gpu_run const& run_;
    cudaStream_t stream_ = nullptr;
    std::optional<std::stop_callback<cancel>> on_stop_;
};

/// Waits for the run's end. Throws what went wrong.
run_report finish_run(gpu_run& run);

}  // namespace copse::detail
