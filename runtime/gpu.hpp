// The gpu executor: worker threads on an NVIDIA GPU that draw from queues in its memory.
//
//   copse::gpu gpu;                                                       // throws cuda_error if no GPU can be used
//   copse::gpu other({.controller = copse::controller::host});
//   auto report = copse::run(gpu, copse::seed<visit>(root), visit{...});  // needs <copse/runtime/gpu_run.cuh> and nvcc
//
// This header needs neither nvcc nor a CUDA toolkit. A library built without a toolkit has the class, too; its
// constructor then throws cuda_error.
#pragma once

#include <concepts>
#include <copse/runtime/error.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/scheduler/controller.hpp>
#include <cstdint>
#include <memory>
#include <string>

namespace copse {
namespace detail {
class gpu_state;
}

struct gpu_options {
    /// Who decides what runs next (scheduler/controller.hpp). controller::device needs copse::device to be linked.
    copse::controller controller = copse::controller::persistent;
    /// Index among the devices that the process may see (CUDA_VISIBLE_DEVICES), 0 or more.
    int device = 0;
    /// Device controller: the run ends with `stalled` if a launched block has not started and no item has come or gone
    /// for this long: more than 0, at most 10^6. Other work on the device, of this process or another, may delay a
    /// launch: set a longer time if it may do so for longer than this.
    double stall_seconds = 10;
    /// A cudaStream_t of the caller on `device`, for copies and runs to go through; null: the executor makes one. The
    /// default streams are cudaStreamLegacy and cudaStreamPerThread. The executor never destroys the caller's stream,
    /// which must outlive the executor and all buffers, matrices and plans in its memory. Work that the caller sends
    /// there before a call is done before the call reads its arguments. Calls that wait, wait for this stream.
    void* stream = nullptr;
};

/// Properties of a device, which the constructor of gpu reads.
struct gpu_properties {
    std::string name;
    int compute_capability = 0;  // 90 for 9.0
    int multiprocessor_count = 0;
    std::int64_t l2_bytes = 0;
    std::int64_t memory_bytes = 0;
};

/// Moves, does not copy. Every use of an executor that was moved from throws argument_error. Several threads may use
/// one executor: their runs take turns.
/// Runs and copies wait until they are done.
class gpu {
  public:
    /// Throws cuda_error, which says what is missing, if the device cannot be used; argument_error for options out of
    /// range, and a stream of another device. After fork() by a process that had used CUDA, in the child, this
    /// constructor and every use of the parent's executor throw cuda_error; destructors there do not touch the device.
    explicit gpu(gpu_options const& options = {});
    gpu(gpu&& other) noexcept;
    gpu& operator=(gpu&& other) noexcept;
    ~gpu();

    /// Whether a gpu executor can be made for the device; if not, `why` gets the reason.
    [[nodiscard]] static bool usable(std::string* why = nullptr, int device = 0);

    gpu_options const& options() const noexcept { return options_; }
    gpu_properties const& properties() const noexcept { return properties_; }
    std::shared_ptr<copse::memory> const& memory() const { return detail::unless_moved_from(memory_, "gpu"); }
    /// Memory of the same device, allocated and freed in the order of stream(). Allocating waits for other work only if
    /// the device is short of memory; freeing never waits. It is for arrays that an operation on this executor needs
    /// until it ends: do not use them on other streams or after the operation.
    std::shared_ptr<copse::memory> const& temporary() const { return detail::unless_moved_from(temporary_, "gpu"); }

    copse::controller controller() const noexcept { return options_.controller; }
    /// Sets the controller of the runs that follow.
    void set_controller(copse::controller controller) noexcept { options_.controller = controller; }

    /// The most bytes of the device's memory that were in use at once since restart_peak(); before its first call,
    /// since the executor was made. In use are the buffers and matrices of all threads that use the executor, the
    /// temporary arrays of operations, and the queues that runs keep. Freed memory that the executor keeps for the next
    /// allocation is not in use. Memory of graphs of captured products is not counted. Throws cuda_error.
    std::int64_t peak_bytes() const;
    /// Starts the peak anew from the bytes that are in use now, and returns these.
    std::int64_t restart_peak();

    /// The cudaStream_t that copies and runs go through.
    void* stream() const;
    /// Gives three things back to the device: the queues of the executor's runs; the memory of freed buffers and
    /// matrices that memory() keeps for the next ones; what the process's CUDA graphs keep while they do not run.
    /// Waits. Throws cuda_error if stream() is capturing, and the capture goes on; runs and copies do the same.
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

/// Chosen for options or seeds if gpu_run.cuh, which has the run() that works, is not included, or if the arguments do
/// not fit that one.
template <std::same_as<gpu> Executor, class First, class... Others>
requires(std::same_as<First, run_options> || requires(First seeds) { seeds.entries; }) run_report
    run(Executor&, First const&, Others const&...) {
    static_assert(sizeof(First) == 0,
                  "copse: run() on a gpu: include <copse/runtime/gpu_run.cuh> and compile this file with nvcc; the "
                  "arguments are options (or none), seeds, and tasks");
    return {};
}

}  // namespace copse
