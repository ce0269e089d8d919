// Memory of a GPU: a pool for each executor.
#include <algorithm>
#include <copse/runtime/cpu/processes.hpp>
#include <copse/runtime/gpu/memory.cuh>
#include <copse/runtime/memory/device_blocks.hpp>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <string>

namespace copse::detail {
namespace {

/// `call`: what gave the code.
void check_allocation(cudaError_t code, char const* call, std::size_t bytes, int line) {
    if (code != cudaSuccess)
        throw_cuda_error(code, (call + (" of " + std::to_string(bytes) + " bytes")).c_str(), __FILE__, line);
}

/// Whether what was sent to the current device is done. False where it failed, and where one of its streams is
/// capturing: such a device cannot be waited for. The capture of `own` goes on, another one may have become invalid.
bool wait_for_device(cudaStream_t own) noexcept {
    auto status = cudaStreamCaptureStatusNone;
    return succeeded(cudaStreamIsCapturing(own, &status)) && status == cudaStreamCaptureStatusNone &&
           succeeded(cudaDeviceSynchronize());
}

/// What is allocated while a stream captures is of no pool of ours: the device has one for all graphs, which keeps it.
void trim_graphs(int device) noexcept {
    succeeded(cudaDeviceGraphMemTrim(device));
}

void copy_and_wait(int device, cudaStream_t stream, void* to, void const* from, std::size_t bytes,
                   cudaMemcpyKind kind) {
    if (bytes == 0) return;
    current_device const current(device);
    refuse_capture(stream, "a copy");
    COPSE_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, kind, stream));
    COPSE_CUDA_TRY(cudaStreamSynchronize(stream));
}

/// The pools of this process, so that none keeps what another needs. Never destroyed: memories of static life leave it
/// late.
class pool_list {
  public:
    static pool_list& of_process() {
        static auto* const list = new pool_list;
        return *list;
    }
    /// stream: where its blocks are given back, and nothing else is done.
    void add(cudaMemPool_t pool, cudaStream_t stream) {
        std::scoped_lock const lock(mutex_);
        pools_.emplace(pool, stream);
    }
    void remove(cudaMemPool_t pool) noexcept {
        std::scoped_lock const lock(mutex_);
        pools_.erase(pool);
    }
    /// What is not in use, as far as the host knows, goes back to the devices. Waits for nobody's work.
    void trim() {
        std::scoped_lock const lock(mutex_);
        for (auto const& [pool, stream] : pools_) {
            succeeded(cudaStreamSynchronize(stream));  // what was freed there counts as free now
            succeeded(cudaMemPoolTrimTo(pool, 0));
        }
    }

  private:
    std::mutex mutex_;
    std::map<cudaMemPool_t, cudaStream_t> pools_;
};

struct blocks_of_device {
    blocks_to_free freed;
    unwanted_bytes unwanted;
};
/// Whichever executor's: they may outlive it. Never destroyed, as pool_list.
blocks_of_device& blocks_of(int device) {
    static std::mutex one_at_a_time;
    static auto* const of_devices = new std::map<int, blocks_of_device>;
    std::scoped_lock const lock(one_at_a_time);
    return (*of_devices)[device];
}

process_mark cuda_user;

}  // namespace

char const* const child_of_cuda_user_text =
    "this process was made by fork() after its parent had used CUDA, which does not work here then: "
    "fork before that, or start a new program (in Python: multiprocessing's 'spawn')";

bool is_child_of_cuda_user() noexcept {
    return cuda_user.is_of_ancestor();
}
void mark_cuda_user() noexcept {
    cuda_user.set();
}

current_device::current_device(int device) {
    if (is_child_of_cuda_user()) throw cuda_error(std::string("gpu: ") + child_of_cuda_user_text);
    COPSE_CUDA_TRY(cudaGetDevice(&previous_));
    COPSE_CUDA_TRY(cudaSetDevice(device));
}
current_device::~current_device() {  // not in a child: there is no such object
    succeeded(cudaSetDevice(previous_));
}

bool is_capturing(cudaStream_t stream) {
    auto status = cudaStreamCaptureStatusNone;
    COPSE_CUDA_TRY(cudaStreamIsCapturing(stream, &status));
    return status != cudaStreamCaptureStatusNone;
}

void refuse_capture(cudaStream_t stream, char const* what) {
    if (is_capturing(stream))
        throw cuda_error(std::string("gpu: ") + what +
                         " waits, but the executor's stream is capturing: end the capture first; only spmv_async() can "
                         "be captured");
}

gpu_memory::gpu_memory(int device, cudaStream_t stream)
    : device_(device),
      freed_(blocks_of(device).freed),
      unwanted_(blocks_of(device).unwanted),
      stream_(stream),
      owns_stream_(stream == nullptr) {
    current_device const current(device);
    std::size_t free_bytes = 0, all_bytes = 0;
    COPSE_CUDA_TRY(cudaMemGetInfo(&free_bytes, &all_bytes));
    most_unwanted_ = all_bytes / 16;
    if (owns_stream_)
        COPSE_CUDA_TRY(cudaStreamCreate(&stream_));  // waits for the default stream, where users' own calls go
    try {
        COPSE_CUDA_TRY(cudaStreamCreateWithFlags(&pool_stream_, cudaStreamNonBlocking));
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        properties.location.id = device;
        COPSE_CUDA_TRY(cudaMemPoolCreate(&pool_, &properties));
        std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();  // whatever was in use once
        COPSE_CUDA_TRY(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep));
        // Where only what another stream has yet to free would do, there is new memory: nobody waits for that stream.
        int waits = 0;
        COPSE_CUDA_TRY(cudaMemPoolSetAttribute(pool_, cudaMemPoolReuseAllowInternalDependencies, &waits));
        pool_list::of_process().add(pool_, pool_stream_);
    } catch (...) {
        release();
        throw;
    }
}
gpu_memory::~gpu_memory() {
    release();
}
void gpu_memory::release() noexcept {
    if (is_child_of_cuda_user()) return;
    if (pool_ != nullptr) {
        pool_list::of_process().remove(pool_);
        succeeded(cudaMemPoolDestroy(pool_));
    }
    if (pool_stream_ != nullptr) succeeded(cudaStreamDestroy(pool_stream_));
    if (owns_stream_) succeeded(cudaStreamDestroy(stream_));
}

template <class Work>
void gpu_memory::on_device(Work const& work) const noexcept {
    if (is_child_of_cuda_user()) return;
    int previous = 0;
    bool const known = succeeded(cudaGetDevice(&previous));
    succeeded(cudaSetDevice(device_));
    work();
    if (known) succeeded(cudaSetDevice(previous));
}

void* gpu_memory::allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    current_device const current(device_);
    free_waiting();
    freed_.expect_one();
    void* p = nullptr;
    try {
        p = allocate_on(pool_stream_, bytes);
        COPSE_CUDA_TRY(cudaStreamSynchronize(pool_stream_));  // from here on it is there for any stream
        return p;
    } catch (...) {
        deallocate_on(pool_stream_, p);
        freed_.expect_one_less();
        throw;
    }
}
void gpu_memory::deallocate(void* p) noexcept {
    if (p == nullptr) return;
    unwanted_.forget(p);
    on_device([&] {
        freed_.free(
            p, [this] { return wait_for_device(stream_); }, [this](void* block) { return give_back(block); });
    });
}
void gpu_memory::deallocate_unused(void* p) noexcept {
    if (p == nullptr) return;
    unwanted_.forget(p);
    on_device([&] { freed_.free_unused(p, [this](void* block) { return give_back(block); }); });
}
bool gpu_memory::give_back(void* p) const noexcept {
    return succeeded(cudaFreeAsync(p, pool_stream_));
}
void gpu_memory::free_waiting() const noexcept {
    freed_.free_waiting([this] { return wait_for_device(stream_); }, [this](void* block) { return give_back(block); });
}

void* gpu_memory::allocate_on(cudaStream_t stream, std::size_t bytes) const {
    if (bytes == 0) return nullptr;
    void* p = nullptr;
    cudaError_t code = cudaSuccess;
    auto const attempt = [&] {
        code = cudaMallocFromPoolAsync(&p, bytes, pool_, stream);
        return succeeded(code);
    };
    auto const trim = [&] {
        pool_list::of_process().trim();
        trim_graphs(device_);
    };
    // Of a stream that captures, memory is the graphs' own. Behind a wait what was freed counts as free; an error of
    // the device comes again with the attempt.
    if (!find_room(
            attempt, [&] { return !is_capturing(stream); }, trim, [this] { return wait_for_device(stream_); }))
        check_allocation(code, "cudaMallocFromPoolAsync", bytes, __LINE__);
    return p;
}
void gpu_memory::deallocate_on(cudaStream_t stream, void* p) noexcept {
    if (p != nullptr && !is_child_of_cuda_user()) succeeded(cudaFreeAsync(p, stream));
}

std::int64_t gpu_memory::peak_bytes() const {
    std::uint64_t most = 0, now = 0;
    COPSE_CUDA_TRY(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &most));
    COPSE_CUDA_TRY(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &now));
    return static_cast<std::int64_t>(std::max(most, now));  // `most` begins at 0 again, whatever is in use then
}
std::int64_t gpu_memory::restart_peak() {
    succeeded(cudaStreamSynchronize(pool_stream_));  // what was freed counts as free now
    std::uint64_t none = 0, now = 0;
    COPSE_CUDA_TRY(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &none));
    COPSE_CUDA_TRY(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &now));
    return static_cast<std::int64_t>(now);
}

void gpu_memory::trim() noexcept {
    free_waiting();
    succeeded(cudaStreamSynchronize(stream_));
    succeeded(cudaStreamSynchronize(pool_stream_));  // what was freed counts as free now
    succeeded(cudaMemPoolTrimTo(pool_, 0));
    trim_graphs(device_);
}

// A smaller block and a copy: what is left over is there for others. Not where that is little: the copy reads and
// writes all that is kept, which is half of what adding two matrices moves. (Mapping pages, so as to give back those
// of the end, takes the driver longer than this copy.) For a moment both take memory: where that does not suffice
// nothing moves. Behind the copy nobody uses the block: freeing it as any other would wait for the device.
void* gpu_memory::shrink(void* p, std::size_t bytes, std::size_t kept) {
    if (p == nullptr || bytes - kept < bytes / 8) return p;
    void* smaller = nullptr;
    try {
        current_device const current(device_);
        if (is_capturing(stream_) || unwanted_.keep(p, bytes - kept, most_unwanted_)) return p;
        smaller = allocate(kept);
        copy(smaller, p, kept, cudaMemcpyDeviceToDevice);
    } catch (std::exception const&) {
        deallocate(smaller);
        return p;
    }
    deallocate_unused(p);
    return smaller;
}

void gpu_memory::copy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
    copy_and_wait(device_, stream_, to, from, bytes, kind);
}
void gpu_memory::copy_from_host(void* to, void const* from, std::size_t bytes) {
    copy(to, from, bytes, cudaMemcpyHostToDevice);
}
// From the stack, which CUDA has read when it returns: only what is page-locked may change too early.
void gpu_memory::send_from_host(void* to, void const* from, std::size_t bytes) {
    alignas(16) std::byte own[most_sent_bytes];
    if (bytes == 0 || bytes > sizeof own) return copy_from_host(to, from, bytes);
    current_device const current(device_);
    refuse_capture(stream_, "a copy");
    std::memcpy(own, from, bytes);
    COPSE_CUDA_TRY(cudaMemcpyAsync(to, own, bytes, cudaMemcpyHostToDevice, stream_));
}
void gpu_memory::copy_to_host(void* to, void const* from, std::size_t bytes) {
    copy(to, from, bytes, cudaMemcpyDeviceToHost);
}
void gpu_memory::gather_to_host(void* to, std::span<memory_extent const> pieces) {
    constexpr std::size_t most_staged_bytes = std::size_t{32} << 20;
    auto* next = static_cast<std::byte*>(to);
    while (!pieces.empty()) {
        std::size_t count = 1, bytes = pieces[0].bytes;
        while (count < pieces.size() && bytes + pieces[count].bytes <= most_staged_bytes)
            bytes += pieces[count++].bytes;
        if (count == 1)
            copy_to_host(next, pieces[0].data, bytes);
        else
            gather_by_kernel(*this, next, pieces.first(count), bytes);
        next += bytes;
        pieces = pieces.subspan(count);
    }
}

void* stream_memory::allocate(std::size_t bytes) {
    current_device const current(of_->device());
    return of_->allocate_on(of_->stream(), bytes);
}
void stream_memory::deallocate(void* p) noexcept {
    of_->on_device([&] { gpu_memory::deallocate_on(of_->stream(), p); });
}
void stream_memory::copy_from_host(void* to, void const* from, std::size_t bytes) {
    of_->send_from_host(to, from, bytes);
}
void stream_memory::copy_to_host(void* to, void const* from, std::size_t bytes) {
    of_->copy_to_host(to, from, bytes);
}
void stream_memory::gather_to_host(void* to, std::span<memory_extent const> pieces) {
    of_->gather_to_host(to, pieces);
}

std::byte* grown_memory::at_least(std::size_t bytes) {
    if (bytes <= bytes_) return data_;
    release();
    void* p = nullptr;
    if (of_ != nullptr) {
        p = of_->allocate_on(of_->stream(), bytes);
    } else if (cudaError_t const code = cudaMallocHost(&p, bytes); code == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        throw out_of_memory(bytes, available_host_memory());
    } else {
        check_allocation(code, "cudaMallocHost", bytes, __LINE__);
    }
    data_ = static_cast<std::byte*>(p);
    bytes_ = bytes;
    return data_;
}

void grown_memory::release() noexcept {
    if (of_ != nullptr)
        gpu_memory::deallocate_on(of_->stream(), data_);
    else if (!is_child_of_cuda_user())
        succeeded(cudaFreeHost(data_));
    data_ = nullptr;
    bytes_ = 0;
}

}  // namespace copse::detail
