// Time on the GPU, and the bandwidth that products are held against.
//
//   cuSPARSE's calls are asynchronous: timed by CUDA events around them. Ours wait: timed by the wall clock around the
//   call, launches and waiting included, and by events too.
#pragma once

#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstddef>
#include <functional>

#include "bench/harness/race.hpp"

namespace copse::bench {

class gpu_clock {
  public:
    /// `executor` must outlive the clock. Throws cuda_error.
    explicit gpu_clock(gpu& executor);
    ~gpu_clock();
    gpu_clock(gpu_clock const&) = delete;
    gpu_clock& operator=(gpu_clock const&) = delete;

    /// Of work that goes to the executor's stream and does not wait. The GPU is given something else to do first, so
    /// that the host has queued events and work before it gets there: launch latency is not counted. `seconds` are by
    /// events.
    run_times time_queued(std::function<void()> const& work);
    /// Of work that waits until it is done, by the wall clock and by events. Starts on an idle GPU.
    run_times time_waiting(std::function<void()> const& work);

    /// The median over copies from device memory to device memory, bytes read and bytes written counted, in GB/s.
    double copy_gbytes_per_second(int repeats);

    gpu& executor() noexcept { return executor_; }

  private:
    void start();
    double stop();

    gpu& executor_;
    buffer<std::byte> filler_;
    void* begin_ = nullptr;
    void* end_ = nullptr;
};

/// All bytes of y <- 0xff, which is NaN in float and double: what a product does not write shows. Asynchronous.
void poison(gpu& executor, void* y, std::size_t bytes);

}  // namespace copse::bench
