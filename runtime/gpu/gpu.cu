// The gpu executor's host side: finds the device, says why there is none, owns stream and memory.
#include <algorithm>
#include <copse/runtime/cpu/processes.hpp>
#include <copse/runtime/gpu/state.cuh>
#include <copse/runtime/scheduler/host_run.hpp>
#include <copse/runtime/task.hpp>
#include <map>
#include <mutex>
#include <string>
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
    if (!detail::succeeded(cudaMemGetInfo(&free, &all))) return "";
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
        case cudaErrorInitializationError:
            return detail::process_generation() > 0 ? std::string("; ") + detail::child_of_cuda_user_text : "";
        default:
            return "";
    }
}

std::string count_failure(cudaError_t code) {
    if (code == cudaErrorInitializationError && detail::process_generation() > 0)
        return detail::child_of_cuda_user_text;
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
    if (detail::is_child_of_cuda_user()) return detail::child_of_cuda_user_text;
    int count = 0;
    if (cudaError_t const code = cudaGetDeviceCount(&count); !detail::succeeded(code)) return count_failure(code);
    detail::mark_cuda_user();
    if (device >= count)
        return "device " + std::to_string(device) + " was asked for, but there are " + std::to_string(count) +
               ", from 0";
    cudaError_t const code = probe(device);
    if (code == cudaSuccess) return "";
    cudaDeviceProp properties{};
    if (code != cudaErrorNoKernelImageForDevice || !detail::succeeded(cudaGetDeviceProperties(&properties, device)))
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
    detail::check_controller("gpu", options.controller);
    if (!(options.stall_seconds > 0 && options.stall_seconds <= 1e6))
        throw argument_error("gpu: stall_seconds is " + std::to_string(options.stall_seconds) +
                             "; it must be more than 0 and at most a million");
}

/// A stream that was destroyed, or of another device, is refused now.
void check_stream(detail::gpu_state const& state) {
    detail::current_device const current(state.device());
    int device = 0;
    COPSE_CUDA_TRY(cudaStreamGetDevice(state.stream(), &device));
    if (device != state.device())
        throw argument_error("gpu: the stream is of device " + std::to_string(device) + ", and device is " +
                             std::to_string(state.device()) + "; give a stream of that device");
}

}  // namespace

gpu::gpu(gpu_options const& options) : options_(options) {
    check_options(options);
    std::string const reason = why_unusable(options.device);
    if (!reason.empty()) throw cuda_error("no GPU can be used: " + reason + "; or use copse::cpu");
    properties_ = read_properties(options.device);
    state_ = std::make_unique<detail::gpu_state>(options.device, static_cast<cudaStream_t>(options.stream));
    check_stream(*state_);
    memory_ = state_->memory;
    temporary_ = std::make_shared<detail::stream_memory>(state_->memory);
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

void* gpu::stream() const {
    return state_of(*this).stream();
}

std::int64_t gpu::peak_bytes() const {
    return state_of(*this).memory->peak_bytes();
}
std::int64_t gpu::restart_peak() {
    return state_of(*this).memory->restart_peak();
}

void gpu::release_workspace() {
    detail::gpu_state& own = state_of(*this);
    std::scoped_lock const lock(own.one_run_at_a_time);
    detail::current_device const current(own.device());
    detail::refuse_capture(own.stream(), "release_workspace()");
    own.workspace.release();
    own.seeds.release();
    own.memory->trim();
}

namespace detail {

void throw_cuda_error(cudaError_t code, char const* call, char const* file, int line) {
    cudaGetLastError();  // not the next call's
    throw cuda_error(std::string(file) + ":" + std::to_string(line) + ": " + call + " failed: " + error_text(code) +
                     advice(code));
}

gpu_state::~gpu_state() {
    if (!is_child_of_cuda_user()) succeeded(cudaStreamSynchronize(stream()));
}

void wait_for_stream(gpu& executor) {
    current_device const current(state_of(executor).device());
    COPSE_CUDA_TRY(cudaStreamSynchronize(state_of(executor).stream()));
}

int resident_blocks_of(void const* kernel) {
    static std::mutex one_at_a_time;
    static std::map<std::pair<void const*, int>, int> known;
    int device = 0;
    COPSE_CUDA_TRY(cudaGetDevice(&device));
    std::lock_guard const lock(one_at_a_time);
    int& blocks = known[{kernel, device}];
    if (blocks > 0) return blocks;
    cudaFuncAttributes attributes{};
    COPSE_CUDA_TRY(cudaFuncGetAttributes(&attributes, kernel));  // has it loaded
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
        succeeded(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, static_cast<std::size_t>(wanted)));
        COPSE_CUDA_TRY(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    }
    return std::min(wanted, static_cast<std::int64_t>(limit));
}

}  // namespace detail
}  // namespace copse
