// What the device runtime does: does a child start while its parent spins, how fast, what happens when too many wait.
// Every wait on the device ends by itself, so that no answer, good or bad, leaves the GPU busy.
#include <cuda_runtime.h>

#include <algorithm>
#include <copse/runtime/gpu/access.cuh>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "questions.hpp"

namespace first_light {
namespace {

using machine = copse::gpu_machine;

constexpr std::uint64_t second = 1'000'000'000;

/// Host and device see the same array.
template <class T>
class shared_array {
  public:
    explicit shared_array(std::size_t count) {
        void* p = nullptr;
        COPSE_CUDA_TRY(cudaMalloc(&p, count * sizeof(T)));
        COPSE_CUDA_TRY(cudaMemset(p, 0, count * sizeof(T)));
        device_ = static_cast<T*>(p);
        host_.resize(count);
    }
    ~shared_array() { cudaFree(device_); }
    shared_array(shared_array const&) = delete;
    shared_array& operator=(shared_array const&) = delete;

    T* device() const { return device_; }
    /// Waits for the device.
    std::vector<T> const& fetch() {
        COPSE_CUDA_TRY(cudaMemcpy(host_.data(), device_, host_.size() * sizeof(T), cudaMemcpyDefault));
        return host_;
    }

  private:
    T* device_ = nullptr;
    std::vector<T> host_;
};

template <class T>
T median(std::vector<T> values) {
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void launched() {
    COPSE_CUDA_TRY(cudaGetLastError());
}

// child-starts, launch-latency

__global__ void set_flag(std::uint32_t* flag, std::uint32_t value) {
    if (threadIdx.x == 0) machine::store_release(flag, value);
}

/// Waits on the device until the flag has the value; false after `limit` nanoseconds.
__device__ bool wait_for(std::uint32_t const* flag, std::uint32_t value, std::uint64_t limit) {
    std::uint64_t const start = copse::detail::nanoseconds();
    while (machine::load_acquire(flag) != value)
        if (copse::detail::nanoseconds() - start > limit) return false;
    return true;
}

struct launch_times {
    std::uint64_t call;   // what the launch costs the parent
    std::uint64_t start;  // from before the launch until the child's word is seen
    std::int32_t code;
    std::uint32_t started;
};

/// Launches one child after another, waiting for each.
__global__ void launch_children(std::uint32_t* flag, launch_times* times, int count) {
    for (int i = 0; i < count; ++i) {
        auto const value = static_cast<std::uint32_t>(i + 1);
        std::uint64_t const begin = copse::detail::nanoseconds();
        set_flag<<<1, 128, 0, cudaStreamFireAndForget>>>(flag, value);
        times[i].code = cudaGetLastError();
        times[i].call = copse::detail::nanoseconds() - begin;
        times[i].started = wait_for(flag, value, 2 * second);
        times[i].start = copse::detail::nanoseconds() - begin;
        if (!times[i].started) return;
    }
}

void ask_child_starts() {
    shared_array<std::uint32_t> flag(1);
    shared_array<launch_times> times(1);
    launch_children<<<1, 1>>>(flag.device(), times.device(), 1);
    launched();
    launch_times const t = times.fetch()[0];
    print({{"question", "child-starts"},
           {"while_parent_spins", t.started != 0},
           {"launch_code", t.code},
           {"microseconds", rounded(static_cast<double>(t.start) * 1e-3)}});
}

void ask_launch_latency() {
    int const count = 1000;
    shared_array<std::uint32_t> flag(1);
    shared_array<launch_times> times(count);
    launch_children<<<1, 1>>>(flag.device(), times.device(), count);
    launched();
    std::vector<std::uint64_t> calls;
    std::vector<std::uint64_t> starts;
    for (launch_times const& t : times.fetch()) {
        if (!t.started) break;
        calls.push_back(t.call);
        starts.push_back(t.start);
    }
    if (starts.empty()) throw std::runtime_error("no child started");
    print({{"question", "launch-latency"},
           {"launches", starts.size()},
           {"median_call_microseconds", rounded(static_cast<double>(median(calls)) * 1e-3)},
           {"median_start_microseconds", rounded(static_cast<double>(median(starts)) * 1e-3)}});
}

// pending-limit

struct pending_counts {
    std::uint32_t launched;
    std::uint32_t ran;
    std::int32_t code;  // that the first refused launch left
    std::uint32_t release;
};

__global__ void wait_then_count(pending_counts* counts) {
    wait_for(&counts->release, 1, 4 * second);
    machine::add_relaxed(&counts->ran, 1u);
}

__global__ void launch_until_refused(pending_counts* counts, int most) {
    for (int i = 0; i < most; ++i) {
        wait_then_count<<<1, 1, 0, cudaStreamFireAndForget>>>(counts);
        counts->code = cudaGetLastError();
        if (counts->code != cudaSuccess) break;
        ++counts->launched;
    }
    machine::store_release(&counts->release, 1u);
}

void ask_pending_limit(char const* name, std::size_t wanted) {
    cudaError_t const set =
        wanted > 0 ? cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, wanted) : cudaSuccess;
    std::size_t limit = 0;
    COPSE_CUDA_TRY(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    shared_array<pending_counts> counts(1);
    launch_until_refused<<<1, 1>>>(counts.device(), 8192);
    launched();
    pending_counts const c = counts.fetch()[0];
    print({{"question", name},
           {"set_code", static_cast<int>(set)},
           {"limit", limit},
           {"launched", c.launched},
           {"ran", c.ran},
           {"code", cudaGetErrorName(static_cast<cudaError_t>(c.code))},
           {"right", c.launched == c.ran}});
}

constexpr question questions[] = {
    {"child-starts", 8, ask_child_starts},
    {"launch-latency", 8, ask_launch_latency},
    {"pending-limit", 8, [] { ask_pending_limit("pending-limit", 0); }},
    {"pending-limit-raised", 8, [] { ask_pending_limit("pending-limit-raised", 4096); }},
};

}  // namespace

std::span<question const> gpu_questions() {
    return questions;
}

}  // namespace first_light
