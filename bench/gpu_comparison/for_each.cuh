// Small kernels of the benchmarks: a function for each index, and what they have found at most.
#pragma once

#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <cstdint>

namespace copse::bench {

constexpr int for_each_threads = 256;

template <class F>
__global__ void __launch_bounds__(for_each_threads) for_each_kernel(std::int64_t count, F const f) {
    std::int64_t const i = std::int64_t{blockIdx.x} * for_each_threads + threadIdx.x;
    if (i < count) f(i);
}

inline cudaStream_t stream_of(gpu const& executor) {
    return static_cast<cudaStream_t>(executor.stream());
}

/// f(0) .. f(count - 1), a thread for each. Asynchronous.
template <class F>
void for_each(gpu const& executor, std::int64_t count, F const& f) {
    if (count == 0) return;
    auto const blocks = static_cast<unsigned>((count + for_each_threads - 1) / for_each_threads);
    for_each_kernel<<<blocks, for_each_threads, 0, stream_of(executor)>>>(count, f);
    COPSE_CUDA_TRY(cudaGetLastError());
}

/// Errors are not negative: their bits are in their order.
__device__ inline void keep_largest(double* largest, double error) {
    atomicMax(reinterpret_cast<unsigned long long*>(largest),
              static_cast<unsigned long long>(__double_as_longlong(error)));
}

}  // namespace copse::bench
