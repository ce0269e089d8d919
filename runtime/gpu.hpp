// The gpu executor: worker threads on an NVIDIA GPU that draw from queues in its memory.
//
//   copse::gpu gpu;                                             // throws cuda_error with the reason where there is none
//   copse::gpu other({.controller = copse::controller::host});
//   auto report = copse::run(gpu, copse::seed<visit>(root), visit{...});      // needs <copse/runtime/gpu_run.cuh>, nvcc
//
// This header needs no nvcc and no toolkit: a library built without one has the class, whose constructor then throws.
#pragma once

#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/scheduler/controller.hpp>
#include <cstdint>
#include <memory>
#include <string>

namespace copse {
namespace detail {
class gpu_state;
}

struct gpu_options {
    /// Who decides what runs next; see controller.hpp. controller::device needs copse::device to be linked.
    copse::controller controller = copse::controller::persistent;
    /// Index among the devices that the process may see (CUDA_VISIBLE_DEVICES).
    int device = 0;
    /// Device controller: the run ends with `stalled` if a launched block has not started and no item has come or gone
    /// for this long. Other work on the device, of this process or another, may hold a launch up: give more time where
    /// it may do so for longer.
    double stall_seconds = 10;
};

/// What is known of a device from the start.
struct gpu_properties {
    std::string name;
    int compute_capability = 0;  // 90 for 9.0
    int multiprocessor_count = 0;
    std::int64_t l2_bytes = 0;
    std::int64_t memory_bytes = 0;
};

/// Moves, does not copy: what works on an executor that was moved from throws argument_error. Several threads may use
/// one executor: their runs take turns.
/// Runs and copies wait until they are done.
class gpu {
  public:
    /// Throws cuda_error, saying what is missing, where the device cannot be used; argument_error for bad options. In a
    /// child by fork() of a process that had used CUDA this constructor and every use of the parent's executor throw
    /// cuda_error; destructors leave the device alone there.
    explicit gpu(gpu_options const& options = {});
    gpu(gpu&& other) noexcept;
    gpu& operator=(gpu&& other) noexcept;
    ~gpu();

    /// Whether a gpu executor can be made for the device; if not, `why` gets the reason.
    [[nodiscard]] static bool usable(std::string* why = nullptr, int device = 0);

    gpu_options const& options() const noexcept { return options_; }
    gpu_properties const& properties() const noexcept { return properties_; }
    std::shared_ptr<copse::memory> const& memory() const { return detail::unless_moved_from(memory_, "gpu"); }
    /// The same memory in the order of stream(). Taking it waits for other work only if the device is short of memory;
    /// giving it back never waits. For what an operation on this executor needs in between: do not use it on other
    /// streams or after the call.
    std::shared_ptr<copse::memory> const& temporary() const { return detail::unless_moved_from(temporary_, "gpu"); }

    copse::controller controller() const noexcept { return options_.controller; }
    /// For the runs that follow.
    void set_controller(copse::controller controller) noexcept { options_.controller = controller; }

    /// The most bytes of the device's memory that were in use at once since restart_peak(); before its first call,
    /// since the executor was made. In use are buffers, matrices, what operations take in between, and the queues that
    /// runs keep, of everybody who uses the executor. Memory that waits for the next allocation is not in use. Memory
    /// of graphs of captured products is not counted. Throws cuda_error.
    std::int64_t peak_bytes() const;
    /// Forgets what was in use until now. Returns the bytes in use now.
    std::int64_t restart_peak();

    /// The cudaStream_t that copies and runs go through.
    void* stream() const;
    /// Gives back the device memory that the executor keeps: the queues of its runs, and what freed buffers and
    /// matrices of its memory() left for the next ones. Gives back, too, what the process's CUDA graphs keep on the
    /// device while they do not run. Waits. If stream() is capturing, throws cuda_error, and the capture goes on; runs
    /// and copies do the same.
    void release_workspace();

  private:
    friend detail::gpu_state& state_of(gpu const& executor) {
        return *detail::unless_moved_from(executor.state_, "gpu");
    }

    gpu_options options_;
    gpu_properties properties_;
    std::shared_ptr<copse::memory> memory_;
    std::shared_ptr<copse::memory> temporary_;
    std::unique_ptr<detail::gpu_state> state_;
};

}  // namespace copse
