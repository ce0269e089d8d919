#include "bench/gpu_comparison/clock.hpp"

#include <algorithm>
#include <copse/formats/generators/random.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <cstdint>
#include <vector>

#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

// Some tens of microseconds of writing: the host queues an event and a call meanwhile, which may be several launches
// and take memory from the stream's pool. More than any L2, so that nobody finds x there.
constexpr std::int64_t filler_bytes = std::int64_t{128} << 20;

cudaStream_t stream_of(gpu const& executor) {
    return static_cast<cudaStream_t>(executor.stream());
}

}  // namespace

gpu_clock::gpu_clock(gpu& executor) : executor_(executor), filler_(executor, filler_bytes) {
    cudaEvent_t begin = nullptr, end = nullptr;
    COPSE_CUDA_TRY(cudaEventCreate(&begin));
    begin_ = begin;
    COPSE_CUDA_TRY(cudaEventCreate(&end));
    end_ = end;
}
gpu_clock::~gpu_clock() {
    cudaEventDestroy(static_cast<cudaEvent_t>(begin_));
    cudaEventDestroy(static_cast<cudaEvent_t>(end_));
}

void gpu_clock::start() {
    COPSE_CUDA_TRY(cudaEventRecord(static_cast<cudaEvent_t>(begin_), stream_of(executor_)));
}

double gpu_clock::stop() {
    auto const end = static_cast<cudaEvent_t>(end_);
    COPSE_CUDA_TRY(cudaEventRecord(end, stream_of(executor_)));
    COPSE_CUDA_TRY(cudaEventSynchronize(end));
    float milliseconds = 0;
    COPSE_CUDA_TRY(cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(begin_), end));
    return std::max(1e-3 * static_cast<double>(milliseconds), 1e-9);  // no infinite speeds
}

run_times gpu_clock::time_queued(std::function<void()> const& work) {
    COPSE_CUDA_TRY(cudaMemsetAsync(filler_.data(), 0, filler_.bytes(), stream_of(executor_)));
    start();
    work();
    double const seconds = stop();
    return {seconds, seconds};
}

run_times gpu_clock::time_waiting(std::function<void()> const& work) {
    // The same writes as above, for the caches; they are over before the clock starts.
    COPSE_CUDA_TRY(cudaMemsetAsync(filler_.data(), 0, filler_.bytes(), stream_of(executor_)));
    COPSE_CUDA_TRY(cudaStreamSynchronize(stream_of(executor_)));
    start();
    double const wall = seconds_of(work);
    return {wall, stop()};
}

double gpu_clock::copy_gbytes_per_second(int repeats) {
    auto const bytes = std::min(std::int64_t{1} << 30, executor_.properties().memory_bytes / 16);
    std::vector<std::uint64_t> values(static_cast<std::size_t>(bytes) / sizeof(std::uint64_t));
    detail::random_sequence const random(1, 0);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = random.bits(static_cast<std::int64_t>(i));
    buffer<std::uint64_t> const from(executor_, values);
    buffer<std::uint64_t> const to(executor_, from.size());
    auto const copy = [&] {
        COPSE_CUDA_TRY(
            cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream_of(executor_)));
    };
    time_queued(copy);
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) seconds.push_back(time_queued(copy).seconds);
    std::sort(seconds.begin(), seconds.end());
    return 2e-9 * static_cast<double>(from.bytes()) / quantile(seconds, 0.5);
}

void poison(gpu& executor, void* y, std::size_t bytes) {
    if (bytes > 0) COPSE_CUDA_TRY(cudaMemsetAsync(y, 0xff, bytes, stream_of(executor)));
}

}  // namespace copse::bench
