// Sums into a stretch of memory that several threads add to, on the CPU.
//
// The first thread to come locks the stretch and adds in place; one that finds it locked adds into a private copy and
// merges that when it closes. Atomic additions per element cost about 20 cycles each; the lock costs that once for a
// whole node. Locks belong to addresses, not to runs: a fixed table, so that nothing is allocated and unrelated runs
// merely share a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace copse::detail {

/// The lock for the memory at `p`.
std::atomic_flag& stripe_lock(void const* p) noexcept;

template <class T>
class cpu_tile {
  public:
    /// `target[0 .. size)` is only ever added to through tiles with the same `target` and during the run.
    /// `spare` is the thread's own memory; it is used while the tile is open.
    cpu_tile(T* target, int size, std::vector<std::byte>& spare)
        : target_(target), size_(size), lock_(stripe_lock(target)) {
        if (!lock_.test_and_set(std::memory_order_acquire)) {
            sums_ = target;
            return;
        }
        if (spare.size() < size * sizeof(T)) spare.resize(size * sizeof(T));
        sums_ = reinterpret_cast<T*>(spare.data());
        for (int i = 0; i < size; ++i) sums_[i] = T(0);
    }
    cpu_tile(cpu_tile const&) = delete;
    cpu_tile& operator=(cpu_tile const&) = delete;
    ~cpu_tile() {
        if (target_) close();
    }

    void add(int i, T value) {
        if (i >= 0) add_alone(i, value);
    }
    void add_alone(int i, T value) { sums_[i] += value; }
    T* sums() const noexcept { return sums_; }

    void close() {
        if (sums_ != target_) {
            while (lock_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
            for (int i = 0; i < size_; ++i) target_[i] += sums_[i];
        }
        lock_.clear(std::memory_order_release);
        target_ = nullptr;
    }

  private:
    T* target_;
    T* sums_;
    int size_;
    std::atomic_flag& lock_;
};

}  // namespace copse::detail
