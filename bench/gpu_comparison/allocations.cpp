#include "bench/gpu_comparison/allocations.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

namespace copse::bench {

void allocation_counter::add(void const* p, std::size_t bytes) {
    if (!p) return;
    std::scoped_lock const lock(mutex_);
    sizes_[p] = static_cast<std::int64_t>(bytes);
    bytes_ += static_cast<std::int64_t>(bytes);
    peak_ = std::max(peak_, bytes_);
}

void allocation_counter::remove(void const* p) {
    std::scoped_lock const lock(mutex_);
    auto const found = sizes_.find(p);
    if (found == sizes_.end()) return;
    bytes_ -= found->second;
    sizes_.erase(found);
}

std::int64_t allocation_counter::bytes() const {
    std::scoped_lock const lock(mutex_);
    return bytes_;
}

std::int64_t allocation_counter::peak_bytes() const {
    std::scoped_lock const lock(mutex_);
    return peak_;
}

void allocation_counter::forget_peak() {
    std::scoped_lock const lock(mutex_);
    peak_ = bytes_;
}

allocation_counter& device_allocations() {
    static auto* const counter = new allocation_counter;  // never destroyed: buffers of static life free theirs later
    return *counter;
}

}  // namespace copse::bench

// The linker's --wrap: calls of cudaMalloc come here, the function itself is __real_cudaMalloc.
extern "C" {

cudaError_t __real_cudaMalloc(void** p, std::size_t bytes);
cudaError_t __real_cudaFree(void* p);
cudaError_t __real_cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t stream);
cudaError_t __real_cudaMallocFromPoolAsync(void** p, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t __real_cudaFreeAsync(void* p, cudaStream_t stream);

cudaError_t __wrap_cudaMalloc(void** p, std::size_t bytes) {
    auto const status = __real_cudaMalloc(p, bytes);
    if (status == cudaSuccess) copse::bench::device_allocations().add(*p, bytes);
    return status;
}
cudaError_t __wrap_cudaFree(void* p) {
    copse::bench::device_allocations().remove(p);
    return __real_cudaFree(p);
}
cudaError_t __wrap_cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t stream) {
    auto const status = __real_cudaMallocAsync(p, bytes, stream);
    if (status == cudaSuccess) copse::bench::device_allocations().add(*p, bytes);
    return status;
}
cudaError_t __wrap_cudaMallocFromPoolAsync(void** p, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    auto const status = __real_cudaMallocFromPoolAsync(p, bytes, pool, stream);
    if (status == cudaSuccess) copse::bench::device_allocations().add(*p, bytes);
    return status;
}
cudaError_t __wrap_cudaFreeAsync(void* p, cudaStream_t stream) {
    copse::bench::device_allocations().remove(p);
    return __real_cudaFreeAsync(p, stream);
}
}
