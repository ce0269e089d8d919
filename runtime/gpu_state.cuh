// What a gpu executor keeps from one run to the next: a stream, memory for queues, a page-locked mailbox.
#pragma once

#include <copse/runtime/cuda_try.cuh>
#include <copse/runtime/gpu.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace copse::detail {

/// Makes a device the calling thread's current one, and the one before again at the end.
class current_device {
  public:
    explicit current_device(int device);
    ~current_device();
    current_device(current_device const&) = delete;
    current_device& operator=(current_device const&) = delete;

  private:
    int previous_ = 0;
};

/// Blocks of block_threads threads of a kernel that are resident on the whole current device at once. Asks CUDA once for
/// each kernel and device; nothing of it goes through a stream, so that one may be capturing. From any thread. Throws
/// cuda_error.
int resident_blocks_of(void const* kernel);

/// Memory of one device; its stream orders copies with the runs of the executor that it belongs to.
class gpu_memory final : public memory {
  public:
    explicit gpu_memory(int device);
    ~gpu_memory() override;
    gpu_memory(gpu_memory const&) = delete;
    gpu_memory& operator=(gpu_memory const&) = delete;

    memory_space space() const noexcept override { return memory_space::device; }
    void* allocate(std::size_t bytes) override;
    void deallocate(void* p) noexcept override;
    void* shrink(void* p, std::size_t bytes, std::size_t kept) override;
    void copy_from_host(void* to, void const* from, std::size_t bytes) override;
    void copy_to_host(void* to, void const* from, std::size_t bytes) override;

    int device() const noexcept { return device_; }
    cudaStream_t stream() const noexcept { return stream_; }

  private:
    void copy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind);

    int device_;
    cudaStream_t stream_ = nullptr;
};

/// Memory of the device's pool, in the order of a stream: what is given back may still be used by work before it there.
class stream_memory final : public memory {
  public:
    explicit stream_memory(gpu_memory const& of) : device_(of.device()), stream_(of.stream()) {}

    memory_space space() const noexcept override { return memory_space::device; }
    void* allocate(std::size_t bytes) override;
    void deallocate(void* p) noexcept override;
    void copy_from_host(void* to, void const* from, std::size_t bytes) override;
    void copy_to_host(void* to, void const* from, std::size_t bytes) override;

  private:
    int device_;
    cudaStream_t stream_;
};

/// Memory that only grows; its content is lost when it does.
class grown_memory {
  public:
    enum class kind { device, page_locked };
    explicit grown_memory(kind k) : kind_(k) {}
    ~grown_memory() { release(); }
    grown_memory(grown_memory const&) = delete;
    grown_memory& operator=(grown_memory const&) = delete;

    /// At least `bytes`, aligned to 256. Throws cuda_error.
    std::byte* at_least(std::size_t bytes);
    void release() noexcept;

  private:
    kind kind_;
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

class gpu_state {
  public:
    explicit gpu_state(int device) : memory(std::make_shared<gpu_memory>(device)) {}
    ~gpu_state();
    gpu_state(gpu_state const&) = delete;
    gpu_state& operator=(gpu_state const&) = delete;

    int device() const noexcept { return memory->device(); }
    cudaStream_t stream() const noexcept { return memory->stream(); }

    /// How many kernels launched on the device may wait to start: `wanted` where CUDA grants it, else what it has.
    std::int64_t pending_launches(std::int64_t wanted);

    std::shared_ptr<gpu_memory> memory;
    std::mutex one_run_at_a_time;
    grown_memory workspace{grown_memory::kind::device};     // the queues of a run
    grown_memory seeds{grown_memory::kind::device};         // its first items
    grown_memory mailbox{grown_memory::kind::page_locked};  // what kernels tell the host
};

}  // namespace copse::detail
