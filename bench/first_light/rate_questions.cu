// What the GPU's parts take and give, as far as the scheduler and the products hang on it: how many blocks run at once
// by who launched them and by what shared memory they ask for; comparing lanes, and lanes in each other's way; ranges
// asked into L2; single numbers gathered from there.
#include <cuda_runtime.h>

#include <algorithm>
#include <copse/runtime/gpu/access.cuh>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <copse/runtime/gpu/lanes.cuh>
#include <copse/runtime/scheduler/add_in_order.hpp>
#include <cstdint>
#include <iterator>

#include "questions.hpp"

namespace first_light {
namespace {

using copse::block_threads;
using machine = copse::gpu_machine;

constexpr int most_multiprocessors = 1024;

// blocks-at-once

struct block_counts {
    std::uint32_t now[most_multiprocessors];
    std::uint32_t most[most_multiprocessors];
    std::uint32_t ended;
};

__device__ std::uint32_t own_multiprocessor() {
    std::uint32_t number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

__device__ void stay(std::uint64_t nanoseconds) {
    std::uint64_t const begin = copse::detail::nanoseconds();
    while (copse::detail::nanoseconds() - begin < nanoseconds) {
    }
}

/// A block that takes `Bytes` of shared memory for 100 microseconds.
template <int Bytes>
__global__ void __launch_bounds__(block_threads, 8) take_a_place(block_counts* counts) {
    __shared__ std::byte volatile memory[Bytes];
    memory[threadIdx.x] = std::byte{1};
    if (threadIdx.x != 0) return;
    std::uint32_t const where = own_multiprocessor() % most_multiprocessors;
    atomicMax(&counts->most[where], atomicAdd(&counts->now[where], 1u) + 1);
    stay(100'000);
    atomicSub(&counts->now[where], 1u);
    atomicAdd(&counts->ended, 1u);
}

/// `launches` kernels of `blocks` each; a block of one thread that stays until they have ended, as a controller does.
template <int Bytes>
__global__ void launch_places(block_counts* counts, int launches, int blocks) {
    for (int i = 0; i < launches; ++i)
        take_a_place<Bytes><<<blocks, block_threads, 0, cudaStreamFireAndForget>>>(counts);
    std::uint64_t const begin = copse::detail::nanoseconds();
    while (machine::load_acquire(&counts->ended) < static_cast<std::uint32_t>(launches * blocks) &&
           copse::detail::nanoseconds() - begin < 1'000'000'000) {
    }
}

enum class launcher { host, gpu };

template <int Bytes>
void count_places(launcher who, int launches, int blocks, int carveout) {
    COPSE_CUDA_TRY(
        cudaFuncSetAttribute(take_a_place<Bytes>, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    cudaFuncCache config{};
    COPSE_CUDA_TRY(cudaDeviceGetCacheConfig(&config));
    block_counts* counts = nullptr;
    COPSE_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&counts), sizeof(block_counts)));
    COPSE_CUDA_TRY(cudaMemset(counts, 0, sizeof(block_counts)));
    if (who == launcher::gpu)
        launch_places<Bytes><<<1, 1>>>(counts, launches, blocks);
    else
        for (int i = 0; i < launches; ++i) take_a_place<Bytes><<<blocks, block_threads>>>(counts);
    COPSE_CUDA_TRY(cudaGetLastError());
    block_counts host{};
    COPSE_CUDA_TRY(cudaMemcpy(&host, counts, sizeof host, cudaMemcpyDefault));
    COPSE_CUDA_TRY(cudaFree(counts));
    std::uint32_t at_once = 0;
    for (std::uint32_t n : host.most) at_once += n;
    print({{"question", "blocks-at-once"},
           {"launched_by", who == launcher::gpu ? "gpu" : "host"},
           {"cache_config", static_cast<int>(config)},
           {"launches", launches},
           {"blocks_each", blocks},
           {"shared_bytes", Bytes},
           {"carveout_percent", carveout},  // -1: the driver's choice
           {"at_once", at_once},
           {"multiprocessors", std::count_if(std::begin(host.most), std::end(host.most), [](auto n) { return n > 0; })},
           {"most_on_one", *std::max_element(std::begin(host.most), std::end(host.most))},
           {"right", host.ended == static_cast<std::uint32_t>(launches * blocks)}});
}

template <int Bytes>
void count_places_of(launcher who) {
    for (int carveout : {-1, 100}) count_places<Bytes>(who, 1, 2112, carveout);
}

void ask_blocks(launcher who) {
    count_places_of<1024>(who);
    count_places_of<9312>(who);
    count_places_of<20480>(who);
    count_places<9312>(who, 33, 64, -1);  // small launches, one after the other
    count_places<9312>(who, 264, 8, -1);
}

// match, turns: cycles of one warp of each multiprocessor's quarter

constexpr int repeats = 256;

/// `labels` different ones among the lanes.
__global__ void compare_lanes(int labels, std::uint32_t* result, std::int64_t* cycles) {
    auto label = static_cast<int>(threadIdx.x) % labels;
    std::uint32_t found = 0;
    std::int64_t const begin = clock64();
    for (int i = 0; i < repeats; ++i) {
        found = __match_any_sync(0xffffffffu, label);
        label += static_cast<int>(found == 0);  // waits for the answer
    }
    if (threadIdx.x == 0) *cycles = clock64() - begin;
    result[threadIdx.x] = found + static_cast<std::uint32_t>(label);
}

__global__ void add_to_rows(int labels, double* result, std::int64_t* cycles) {
    __shared__ double sums[32];
    __shared__ alignas(16) std::byte exchange[copse::detail::narrow_lanes<32>::exchange_bytes];
    copse::detail::narrow_lanes<32> const lanes(0, exchange);
    sums[threadIdx.x] = 0;
    __syncwarp();
    int const row = static_cast<int>(threadIdx.x) % labels;
    std::int64_t const begin = clock64();
    for (int i = 0; i < repeats; ++i) copse::detail::add_in_order(static_cast<double*>(sums), row, 1.0 + i, lanes);
    if (threadIdx.x == 0) *cycles = clock64() - begin;
    result[threadIdx.x] = sums[threadIdx.x];
}

template <class Result, class Kernel>
void ask_cycles(char const* name, Kernel kernel) {
    Result* result = nullptr;
    std::int64_t* cycles = nullptr;
    COPSE_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&result), 32 * sizeof(Result)));
    COPSE_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&cycles), sizeof(std::int64_t)));
    for (int labels : {32, 16, 8, 4, 2, 1}) {
        std::int64_t taken = 0;
        for (int time = 0; time < 2; ++time) kernel<<<1, 32>>>(labels, result, cycles);  // the second is warm
        COPSE_CUDA_TRY(cudaGetLastError());
        COPSE_CUDA_TRY(cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDefault));
        print({{"question", name},
               {"different", labels},
               {"cycles", rounded(static_cast<double>(taken) / repeats)}});
    }
    cudaFree(result);
    cudaFree(cycles);
}

// prefetch, gather: of all multiprocessors

constexpr std::int64_t range_bytes = std::int64_t{1} << 30;

__device__ std::uint64_t scattered(std::uint64_t i) {
    i *= 0x9e3779b97f4a7c15u;
    return i ^ (i >> 29);
}

__global__ void ask_ranges(std::byte const* memory, int bytes, std::int64_t count) {
    copse::detail::cache_policy const once = copse::detail::used_once();
    std::int64_t const stride = std::int64_t{gridDim.x} * blockDim.x / 32;
    std::int64_t const warp = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    auto const places = static_cast<std::uint64_t>(range_bytes / bytes);
    if (threadIdx.x % 32 != 0) return;
    for (std::int64_t i = warp; i < count; i += stride)
        copse::detail::fetch_once(memory + scattered(static_cast<std::uint64_t>(i)) % places * bytes, bytes, once);
}

__global__ void gather(double const* from, std::uint64_t mask, std::int64_t count, double* result) {
    std::int64_t const stride = std::int64_t{gridDim.x} * blockDim.x;
    double sum = 0;
    std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (; i + 7 * stride < count; i += 8 * stride) {
        double own[8];
        for (int k = 0; k < 8; ++k) own[k] = from[scattered(static_cast<std::uint64_t>(i + k * stride)) & mask];
        for (double value : own) sum += value;
    }
    if (sum != 0) *result = sum;
}

/// Seconds of the second of two runs, by events.
template <class Work>
double seconds_of(Work work) {
    cudaEvent_t begin = nullptr, end = nullptr;
    COPSE_CUDA_TRY(cudaEventCreate(&begin));
    COPSE_CUDA_TRY(cudaEventCreate(&end));
    float milliseconds = 0;
    for (int time = 0; time < 2; ++time) {
        COPSE_CUDA_TRY(cudaEventRecord(begin));
        work();
        COPSE_CUDA_TRY(cudaGetLastError());
        COPSE_CUDA_TRY(cudaEventRecord(end));
        COPSE_CUDA_TRY(cudaEventSynchronize(end));
        COPSE_CUDA_TRY(cudaEventElapsedTime(&milliseconds, begin, end));
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return milliseconds * 1e-3;
}

int blocks_for_all() {
    int device = 0, multiprocessors = 0;
    COPSE_CUDA_TRY(cudaGetDevice(&device));
    COPSE_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return multiprocessors * 8;
}

std::byte* empty_memory() {
    void* memory = nullptr;
    COPSE_CUDA_TRY(cudaMalloc(&memory, range_bytes));
    COPSE_CUDA_TRY(cudaMemset(memory, 0, range_bytes));
    return static_cast<std::byte*>(memory);
}

void ask_prefetch() {
    std::byte* const memory = empty_memory();
    for (int bytes : {64, 256, 1024, 4096, 16384}) {
        std::int64_t const count = range_bytes / 4 / bytes;
        double const seconds =
            seconds_of([&] { ask_ranges<<<blocks_for_all(), block_threads>>>(memory, bytes, count); });
        print({{"question", "prefetch"},
               {"bytes", bytes},
               {"nanoseconds_each", rounded(seconds / static_cast<double>(count) * 1e9)},
               {"gbytes_per_second", rounded(static_cast<double>(count) * bytes / seconds * 1e-9)}});
    }
    cudaFree(memory);
}

void ask_gather() {
    std::byte* const memory = empty_memory();
    for (std::int64_t megabytes : {1, 8, 32, 128, 1024}) {
        std::int64_t const count = 1 << 26;
        auto const mask = static_cast<std::uint64_t>((megabytes << 20) / 8 - 1);
        double const seconds = seconds_of([&] {
            gather<<<2 * blocks_for_all(), block_threads>>>(reinterpret_cast<double const*>(memory), mask, count,
                                                            reinterpret_cast<double*>(memory));
        });
        print({{"question", "gather"},
               {"megabytes", megabytes},
               {"gathers_per_nanosecond", rounded(static_cast<double>(count) / seconds * 1e-9)}});
    }
    cudaFree(memory);
}

constexpr question questions[] = {
    {"blocks-by-host", 8, [] { ask_blocks(launcher::host); }},
    {"blocks-by-gpu", 15, [] { ask_blocks(launcher::gpu); }},
    {"blocks-by-gpu-preferring-shared", 15,
     [] {
         COPSE_CUDA_TRY(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
         ask_blocks(launcher::gpu);
     }},
    {"match", 8, [] { ask_cycles<std::uint32_t>("match", compare_lanes); }},
    {"turns", 8, [] { ask_cycles<double>("turns", add_to_rows); }},
    {"prefetch", 8, ask_prefetch},
    {"gather", 8, ask_gather},
};

}  // namespace

std::span<question const> rate_questions() {
    return questions;
}

}  // namespace first_light
