// What this program has allocated on the GPU, by counting its calls of the CUDA runtime: the linker puts the functions
// of allocations.cpp in front of cudaMalloc, cudaFree and their asynchronous forms (target copse_gpu_comparison). A
// library that is loaded at run time allocates uncounted; cuSPARSE gets its workspaces from us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace copse::bench {

/// Thread-safe.
class allocation_counter {
  public:
    void add(void const* p, std::size_t bytes);
    /// Of one that was not added: nothing.
    void remove(void const* p);

    std::int64_t bytes() const;
    /// The most since the start, or since the last call of forget_peak().
    std::int64_t peak_bytes() const;
    void forget_peak();

  private:
    mutable std::mutex mutex_;
    std::unordered_map<void const*, std::int64_t> sizes_;
    std::int64_t bytes_ = 0;
    std::int64_t peak_ = 0;
};

/// Of this process.
allocation_counter& device_allocations();

/// work() and the bytes that it took on the GPU, at most, beside what was there before.
template <class Work>
std::int64_t peak_bytes_of(Work const& work) {
    auto& counter = device_allocations();
    auto const before = counter.bytes();
    counter.forget_peak();
    work();
    return counter.peak_bytes() - before;
}

}  // namespace copse::bench
