// The gpu executor's host side: finds the device, says why there is none, owns stream and memory.
#include <algorithm>
#include <copse/runtime/gpu_state.cuh>
#include <copse/runtime/task.hpp>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace copse {
namespace {

/// Compiled for the same architectures as every kernel of the library: can the device run them?
__global__ void probe_kernel() {}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string error_text(cudaError_t code) {
    return std::string(cudaGetErrorString(code)) + " (" + cudaGetErrorName(code) + ")";
}

/// Of the current device; nothing where it does not say.
std::string free_memory() {
    std::size_t free = 0, all = 0;
    if (cudaMemGetInfo(&free, &all) != cudaSuccess) {
        cudaGetLastError();
        return "";
    }
    return ": " + std::to_string(free) + " of " + std::to_string(all) + " bytes are free";
}

/// What a person can do about an error, or nothing.
std::string advice(cudaError_t code) {
    switch (code) {
        case cudaErrorMemoryAllocation:
            return "; the GPU's memory does not suffice" + free_memory() +
                   "; keep fewer matrices there, give queues less capacity, or call release_workspace() between runs";
        case cudaErrorIllegalAddress:
        case cudaErrorMisalignedAddress:
        case cudaErrorLaunchFailure:
            return "; a task function used memory that it must not, and this process cannot use the GPU any more: "
                   "run it under compute-sanitizer to see where";
        case cudaErrorNoKernelImageForDevice:
            return "; build copse for this GPU with -DCOPSE_CUDA_ARCHITECTURES=...";
        default:
            return "";
    }
}

std::string count_failure(cudaError_t code) {
    int driver = 0;
    int runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (driver == 0) return "no NVIDIA driver was found (libcuda.so.1): install one";
    if (code == cudaErrorInsufficientDriver)
        return "the NVIDIA driver supports CUDA " + version_text(driver) + ", this program needs " +
               version_text(runtime) + ": install a newer driver";
    if (code == cudaErrorNoDevice) return "the NVIDIA driver sees no device: is CUDA_VISIBLE_DEVICES set to hide it?";
    return "the NVIDIA driver does not answer: " + error_text(code);
}

/// Whether the device runs the library's kernels.
cudaError_t probe(int device) {
    int previous = 0;
    cudaGetDevice(&previous);
    cudaError_t code = cudaSetDevice(device);
    cudaFuncAttributes attributes{};
    if (code == cudaSuccess) code = cudaFuncGetAttributes(&attributes, reinterpret_cast<void const*>(probe_kernel));
    cudaSetDevice(previous);
    cudaGetLastError();  // not the next call's
    return code;
}

/// Why the device cannot be used; empty if it can.
std::string why_unusable(int device) {
    int count = 0;
    if (cudaError_t const code = cudaGetDeviceCount(&count); code != cudaSuccess) return count_failure(code);
    if (device >= count)
        return "device " + std::to_string(device) + " was asked for, but there are " + std::to_string(count) +
               ", from 0";
    cudaError_t const code = probe(device);
    if (code == cudaSuccess) return "";
    cudaDeviceProp properties{};
    if (code != cudaErrorNoKernelImageForDevice || cudaGetDeviceProperties(&properties, device) != cudaSuccess)
        return "device " + std::to_string(device) + " cannot be used: " + error_text(code);
    std::string const capability = std::to_string(properties.major) + std::to_string(properties.minor);
    return std::string(properties.name) + " has compute capability " + capability + ", but copse was built for " +
           COPSE_CUDA_ARCHITECTURES + ": build it with -DCOPSE_CUDA_ARCHITECTURES=" + capability;
}

gpu_properties read_properties(int device) {
    cudaDeviceProp properties{};
    COPSE_CUDA_TRY(cudaGetDeviceProperties(&properties, device));
    return {properties.name, properties.major * 10 + properties.minor, properties.multiProcessorCount,
            properties.l2CacheSize, static_cast<std::int64_t>(properties.totalGlobalMem)};
}

void check_options(gpu_options const& options) {
    if (options.device < 0)
        throw argument_error("gpu: device is " + std::to_string(options.device) + "; it must be 0 or more");
    if (!(options.stall_seconds > 0 && options.stall_seconds <= 1e6))
        throw argument_error("gpu: stall_seconds is " + std::to_string(options.stall_seconds) +
                             "; it must be more than 0 and at most a million");
}

}  // namespace

gpu::gpu(gpu_options const& options) : options_(options) {
    check_options(options);
    std::string const reason = why_unusable(options.device);
    if (!reason.empty()) throw cuda_error("no GPU can be used: " + reason + "; or use copse::cpu");
    properties_ = read_properties(options.device);
    state_ = std::make_unique<detail::gpu_state>(options.device);
    memory_ = state_->memory;
}
gpu::gpu(gpu&&) noexcept = default;
gpu& gpu::operator=(gpu&&) noexcept = default;
gpu::~gpu() = default;

bool gpu::usable(std::string* why, int device) {
    std::string reason = device < 0 ? "device is " + std::to_string(device) + ", less than 0" : why_unusable(device);
    bool const usable = reason.empty();
    if (why) *why = usable ? "" : "no GPU can be used: " + std::move(reason);
    return usable;
}

void* gpu::stream() const noexcept {
    return state_->stream();
}

void gpu::release_workspace() {
    std::scoped_lock const lock(state_->one_run_at_a_time);
    detail::current_device const current(state_->device());
    state_->workspace.release();
    state_->seeds.release();
    state_->memory->trim();
}

namespace detail {
namespace {

/// `call`: what gave the code.
void check_allocation(cudaError_t code, char const* call, std::size_t bytes, int line) {
    if (code != cudaSuccess)
        throw_cuda_error(code, (call + (" of " + std::to_string(bytes) + " bytes")).c_str(), __FILE__, line);
}

void copy_and_wait(int device, cudaStream_t stream, void* to, void const* from, std::size_t bytes,
                   cudaMemcpyKind kind) {
    if (bytes == 0) return;
    current_device const current(device);
    COPSE_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, kind, stream));
    COPSE_CUDA_TRY(cudaStreamSynchronize(stream));
}

}  // namespace

void throw_cuda_error(cudaError_t code, char const* call, char const* file, int line) {
    cudaGetLastError();  // not the next call's
    throw cuda_error(std::string(file) + ":" + std::to_string(line) + ": " + call + " failed: " + error_text(code) +
                     advice(code));
}

current_device::current_device(int device) {
    COPSE_CUDA_TRY(cudaGetDevice(&previous_));
    COPSE_CUDA_TRY(cudaSetDevice(device));
}
current_device::~current_device() {
    cudaSetDevice(previous_);
}

namespace {

/// The pools of this process, so that none keeps what another needs. Never destroyed: memories of static life leave it
/// late.
class pool_list {
  public:
    static pool_list& of_process() {
        static auto* const list = new pool_list;
        return *list;
    }
    void add(cudaMemPool_t pool) {
        std::scoped_lock const lock(mutex_);
        pools_.insert(pool);
    }
    void remove(cudaMemPool_t pool) noexcept {
        std::scoped_lock const lock(mutex_);
        pools_.erase(pool);
    }
    /// What is not in use goes back to the devices.
    void trim() {
        std::scoped_lock const lock(mutex_);
        for (cudaMemPool_t const pool : pools_) cudaMemPoolTrimTo(pool, 0);
    }

  private:
    std::mutex mutex_;
    std::set<cudaMemPool_t> pools_;
};

}  // namespace

gpu_memory::gpu_memory(int device) : device_(device) {
    current_device const current(device);
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
        pool_list::of_process().add(pool_);
    } catch (...) {
        release();
        throw;
    }
}
gpu_memory::~gpu_memory() {
    release();
}
void gpu_memory::release() noexcept {
    if (pool_ != nullptr) {
        pool_list::of_process().remove(pool_);
        cudaMemPoolDestroy(pool_);
    }
    if (pool_stream_ != nullptr) cudaStreamDestroy(pool_stream_);
    cudaStreamDestroy(stream_);
}

void* gpu_memory::allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    current_device const current(device_);
    void* p = nullptr;
    if (cudaMallocFromPoolAsync(&p, bytes, pool_, pool_stream_) != cudaSuccess) {
        cudaGetLastError();
        COPSE_CUDA_TRY(cudaDeviceSynchronize());  // what was freed counts as free now
        pool_list::of_process().trim();
        p = allocate_on(pool_stream_, bytes);
    }
    COPSE_CUDA_TRY(cudaStreamSynchronize(pool_stream_));  // from here on it is there for any stream
    return p;
}
void gpu_memory::deallocate(void* p) noexcept {
    if (p == nullptr) return;
    int previous = 0;
    cudaGetDevice(&previous);
    cudaSetDevice(device_);
    cudaDeviceSynchronize();
    cudaFreeAsync(p, pool_stream_);
    cudaSetDevice(previous);
}

void* gpu_memory::allocate_on(cudaStream_t stream, std::size_t bytes) const {
    if (bytes == 0) return nullptr;
    void* p = nullptr;
    check_allocation(cudaMallocFromPoolAsync(&p, bytes, pool_, stream), "cudaMallocFromPoolAsync", bytes, __LINE__);
    return p;
}
void gpu_memory::deallocate_on(cudaStream_t stream, void* p) noexcept {
    if (p != nullptr) cudaFreeAsync(p, stream);
}

void gpu_memory::trim() noexcept {
    cudaStreamSynchronize(stream_);
    cudaStreamSynchronize(pool_stream_);  // what was freed counts as free now
    cudaMemPoolTrimTo(pool_, 0);
}

// A smaller block and a copy: what is left over is there for others. Not for less than an eighth: the copy reads and
// writes all that is kept, which is half of what adding two matrices moves.
void* gpu_memory::shrink(void* p, std::size_t bytes, std::size_t kept) {
    if (bytes - kept < bytes / 8) return p;
    void* const smaller = allocate(kept);
    try {
        copy(smaller, p, kept, cudaMemcpyDeviceToDevice);
    } catch (...) {
        deallocate(smaller);
        throw;
    }
    deallocate(p);
    return smaller;
}

void gpu_memory::copy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
    copy_and_wait(device_, stream_, to, from, bytes, kind);
}
void gpu_memory::copy_from_host(void* to, void const* from, std::size_t bytes) {
    copy(to, from, bytes, cudaMemcpyHostToDevice);
}
void gpu_memory::copy_to_host(void* to, void const* from, std::size_t bytes) {
    copy(to, from, bytes, cudaMemcpyDeviceToHost);
}

void* stream_memory::allocate(std::size_t bytes) {
    current_device const current(of_->device());
    return of_->allocate_on(of_->stream(), bytes);
}
void stream_memory::deallocate(void* p) noexcept {
    gpu_memory::deallocate_on(of_->stream(), p);
}
void stream_memory::copy_from_host(void* to, void const* from, std::size_t bytes) {
    of_->copy_from_host(to, from, bytes);
}
void stream_memory::copy_to_host(void* to, void const* from, std::size_t bytes) {
    of_->copy_to_host(to, from, bytes);
}

std::byte* grown_memory::at_least(std::size_t bytes) {
    if (bytes <= bytes_) return data_;
    release();
    void* p = nullptr;
    if (of_ != nullptr)
        p = of_->allocate(bytes);
    else
        check_allocation(cudaMallocHost(&p, bytes), "cudaMallocHost", bytes, __LINE__);
    data_ = static_cast<std::byte*>(p);
    bytes_ = bytes;
    return data_;
}

void grown_memory::release() noexcept {
    if (of_ != nullptr)
        of_->deallocate(data_);
    else
        cudaFreeHost(data_);
    data_ = nullptr;
    bytes_ = 0;
}

gpu_state::~gpu_state() {
    cudaStreamSynchronize(stream());
}

int resident_blocks_of(void const* kernel) {
    static std::mutex one_at_a_time;
    static std::map<std::pair<void const*, int>, int> known;
    int device = 0;
    COPSE_CUDA_TRY(cudaGetDevice(&device));
    std::lock_guard const lock(one_at_a_time);
    int& blocks = known[{kernel, device}];
    if (blocks > 0) return blocks;
    int multiprocessors = 0;
    int per_multiprocessor = 0;
    COPSE_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    COPSE_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, block_threads, 0));
    return blocks = std::max(1, multiprocessors * per_multiprocessor);
}

std::int64_t gpu_state::pending_launches(std::int64_t wanted) {
    std::size_t limit = 0;
    COPSE_CUDA_TRY(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    if (static_cast<std::int64_t>(limit) < wanted) {
        // Refused once a kernel that launches others has run in this process: then the limit stays as it is.
        if (cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, static_cast<std::size_t>(wanted)) != cudaSuccess)
            cudaGetLastError();
        COPSE_CUDA_TRY(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    }
    return std::min(wanted, static_cast<std::int64_t>(limit));
}

}  // namespace detail
}  // namespace copse
