// Memory of a GPU for buffers and matrices, for what a call needs in between, and for what an executor keeps.
#pragma once

#include <atomic>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/memory/device_blocks.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace copse::detail {

/// Whether this process is a child by fork() of one that had used CUDA, none of which works here.
bool is_child_of_cuda_user() noexcept;

/// This process has used CUDA.
void mark_cuda_user() noexcept;

/// The reason, for a person.
extern char const* const child_of_cuda_user_text;

/// Makes a device the calling thread's current one, and the one before again at the end. Throws cuda_error, saying why,
/// in a child of a process that had used CUDA.
class current_device {
  public:
    explicit current_device(int device);
    ~current_device();
    current_device(current_device const&) = delete;
    current_device& operator=(current_device const&) = delete;

  private:
    int previous_ = 0;
};

bool is_capturing(cudaStream_t stream);
/// Throws cuda_error where the stream is capturing, before `what` would break the capture.
void refuse_capture(cudaStream_t stream, char const* what);

/// Memory of one device; its stream orders copies with the runs of the executor that it belongs to.
///
/// What is freed stays in a pool of its own, and the next allocation finds it there; cudaMalloc and cudaFree would go
/// to the operating system each time.
class gpu_memory final : public memory {
  public:
    /// stream: the caller's, which is not destroyed; null: makes its own.
    gpu_memory(int device, cudaStream_t stream);
    ~gpu_memory() override;
    gpu_memory(gpu_memory const&) = delete;
    gpu_memory& operator=(gpu_memory const&) = delete;

    memory_space space() const noexcept override { return memory_space::device; }
    void* allocate(std::size_t bytes) override;
    /// Waits for all work on the device, as cudaFree does: any stream may still use it. While a stream of the device is
    /// capturing nobody can wait for that: the next call here or of allocate() or trim() gives the memory back. The
    /// capture of stream() goes on, that of another stream may become invalid.
    void deallocate(void* p) noexcept override;
    void deallocate_unused(void* p) noexcept override;
    /// p moves, and stream() is waited for, where the rest is an eighth of the bytes or more, and all that blocks of
    /// the device's executors have kept so would be more than a sixteenth of its memory. Nothing moves while stream()
    /// is capturing.
    void* shrink(void* p, std::size_t bytes, std::size_t kept) override;
    /// How much blocks may keep from now on where this memory's shrink. Returns what it was.
    std::size_t limit_unwanted_bytes(std::size_t most) noexcept { return most_unwanted_.exchange(most); }
    /// Copies throw cuda_error where stream() is capturing, which goes on.
    void copy_from_host(void* to, void const* from, std::size_t bytes) override;
    void copy_to_host(void* to, void const* from, std::size_t bytes) override;
    /// Up to most_sent_bytes without a wait.
    void send_from_host(void* to, void const* from, std::size_t bytes) override;
    static constexpr std::size_t most_sent_bytes = 8192;
    /// Waits once for each 32 MiB, which it takes on the device in the meantime.
    void gather_to_host(void* to, std::span<memory_extent const> pieces) override;

    /// In the order of a stream, which may be capturing. Where memory is short what all executors keep goes back, still
    /// without a wait; where it does not suffice then, and the stream is not capturing, this waits for the device,
    /// since what is on its way back may. What is given back may still be used by work before it there. Throws
    /// cuda_error.
    void* allocate_on(cudaStream_t stream, std::size_t bytes) const;
    static void deallocate_on(cudaStream_t stream, void* p) noexcept;

    /// Of what is in use: gpu::peak_bytes() and gpu::restart_peak().
    std::int64_t peak_bytes() const;
    std::int64_t restart_peak();

    /// Gives back what is not in use, and what graphs keep of the device's memory while they do not run.
    void trim() noexcept;

    int device() const noexcept { return device_; }
    cudaStream_t stream() const noexcept { return stream_; }

  private:
    friend class stream_memory;

    void copy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind);
    /// work() while the device is current.
    template <class Work>
    void on_device(Work const& work) const noexcept;
    bool give_back(void* p) const noexcept;
    void free_waiting() const noexcept;
    void release() noexcept;

    int device_;
    blocks_to_free& freed_;
    unwanted_bytes& unwanted_;
    std::atomic<std::size_t> most_unwanted_ = 0;
    cudaStream_t stream_ = nullptr;
    bool owns_stream_;
    cudaStream_t pool_stream_ = nullptr;  // only allocations: waiting for it is waiting for nothing else, since
    cudaMemPool_t pool_ = nullptr;        // none in this pool waits for another stream
};

/// Memory of allocate_on(), for as long as work on its stream is being sent.
class stream_chunk {
  public:
    stream_chunk(gpu_memory const& of, cudaStream_t stream, std::size_t bytes)
        : stream_(stream), data_(of.allocate_on(stream, bytes)) {}
    ~stream_chunk() { gpu_memory::deallocate_on(stream_, data_); }
    stream_chunk(stream_chunk const&) = delete;
    stream_chunk& operator=(stream_chunk const&) = delete;

    void* data() const { return data_; }

  private:
    cudaStream_t stream_;
    void* data_;
};

/// The memory of an executor in the order of its stream: for what a call needs in between.
class stream_memory final : public memory {
  public:
    explicit stream_memory(std::shared_ptr<gpu_memory> of) : of_(std::move(of)) {}

    memory_space space() const noexcept override { return memory_space::device; }
    void* allocate(std::size_t bytes) override;
    void deallocate(void* p) noexcept override;
    /// As gpu_memory::send_from_host(): what is temporary is read in the order of the stream.
    void copy_from_host(void* to, void const* from, std::size_t bytes) override;
    void copy_to_host(void* to, void const* from, std::size_t bytes) override;
    void gather_to_host(void* to, std::span<memory_extent const> pieces) override;

  private:
    std::shared_ptr<gpu_memory> of_;
};

/// By one copy (gather.cu). `bytes`: of all pieces. Takes as much of the memory in the meantime. Waits. Throws
/// cuda_error.
void gather_by_kernel(gpu_memory const& of, void* to, std::span<memory_extent const> pieces, std::size_t bytes);

/// Memory that only grows; its content is lost when it does.
class grown_memory {
  public:
    /// Of the device's memory, in the order of its stream: nothing waits; or page-locked of the host's.
    explicit grown_memory(gpu_memory* of) : of_(of) {}
    static grown_memory page_locked() { return grown_memory(nullptr); }
    ~grown_memory() { release(); }
    grown_memory(grown_memory const&) = delete;
    grown_memory& operator=(grown_memory const&) = delete;

    /// At least `bytes`, aligned to 256; the device is the current one. Throws cuda_error, and out_of_memory for the
    /// host's.
    std::byte* at_least(std::size_t bytes);
    void release() noexcept;

  private:
    gpu_memory* of_;
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace copse::detail
