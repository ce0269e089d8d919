// How a stop that is requested on the host reaches a run on the GPU: the failure record in device memory, which blocks
// look at once for each batch anyway, is written by a copy on a stream of its own. A copy needs no multiprocessor, so
// that it goes beside resident blocks.
#pragma once

#include <copse/runtime/gpu/machine.cuh>
#include <copse/runtime/gpu/state.cuh>
#include <copse/runtime/scheduler/run_view.hpp>
#include <optional>
#include <stop_token>

namespace copse::detail {

/// While it lives, a stop cancels the run. Does nothing for a token that nobody can stop.
class gpu_cancellation {
  public:
    /// The device is the current one. Waits until the run's memory is zeroed. Throws cuda_error.
    gpu_cancellation(gpu_state const& state, std::stop_token const& stop, run_control<gpu_machine>* control)
        : device_(state.device()), failure_(&control->failure) {
        if (!stop.stop_possible()) return;
        COPSE_CUDA_TRY(cudaStreamSynchronize(state.stream()));
        COPSE_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        on_stop_.emplace(stop, cancel{this});
    }
    ~gpu_cancellation() {
        on_stop_.reset();  // waits for a call that has begun
        if (stream_) succeeded(cudaStreamDestroy(stream_));
    }
    /// Waits for the run on `stream`; from then on no stop writes the failure, which may be read. If no stop is
    /// possible, does nothing. Throws cuda_error.
    void end(cudaStream_t stream) {
        if (!on_stop_) return;
        COPSE_CUDA_TRY(cudaStreamSynchronize(stream));
        on_stop_.reset();  // waits for a call that has begun
    }

    gpu_cancellation(gpu_cancellation const&) = delete;
    gpu_cancellation& operator=(gpu_cancellation const&) = delete;

  private:
    struct cancel {
        gpu_cancellation* run;
        void operator()() const noexcept { run->write(); }
    };

    /// From the thread that requests the stop. The copy has ended when this returns, so that it cannot hit the next
    /// run. If CUDA fails here, the run's own calls say so.
    void write() const noexcept {
        failure_record const record{2, failure_kind::cancelled, 0, 0, 0, 0};
        int before = 0;
        if (!succeeded(cudaGetDevice(&before)) || !succeeded(cudaSetDevice(device_))) return;
        if (succeeded(cudaMemcpyAsync(failure_, &record, sizeof record, cudaMemcpyHostToDevice, stream_)))
            succeeded(cudaStreamSynchronize(stream_));
        succeeded(cudaSetDevice(before));
    }

    int device_;
    failure_record* failure_;
    cudaStream_t stream_ = nullptr;
    std::optional<std::stop_callback<cancel>> on_stop_;
};

}  // namespace copse::detail
