// A machine is a policy: the atomic operations of the place where tasks run. Queues, termination and workers are
// written once against it.
//
//   cpu_machine        std::atomic_ref                              this file
//   emulated_machine   the same, and another lane may go on here    runtime/emulated/machine.hpp
//   gpu_machine        cuda::atomic_ref, device scope               runtime/gpu/machine.cuh
//
// The operations name their memory order; there is no default. `pause` is called in every wait for another thread.
// A machine may have published(tickets, position) and published_range(counters): before an item, or a range, becomes
// visible.
#pragma once

#include <atomic>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <thread>

namespace copse {

struct cpu_machine {
    template <class T>
    static T load_relaxed(T const* p) {
        return ref(p).load(std::memory_order_relaxed);
    }
    template <class T>
    static T load_acquire(T const* p) {
        return ref(p).load(std::memory_order_acquire);
    }
    template <class T>
    static void store_relaxed(T* p, T value) {
        std::atomic_ref<T>(*p).store(value, std::memory_order_relaxed);
    }
    template <class T>
    static void store_release(T* p, T value) {
        std::atomic_ref<T>(*p).store(value, std::memory_order_release);
    }
    template <class T>
    static T add_relaxed(T* p, T value) {
        return std::atomic_ref<T>(*p).fetch_add(value, std::memory_order_relaxed);
    }
    template <class T>
    static T add_acq_rel(T* p, T value) {
        return std::atomic_ref<T>(*p).fetch_add(value, std::memory_order_acq_rel);
    }
    /// Compares bits. Returns what was there: `expected` where *p is now `desired`. Acquire, and release on success.
    template <class T>
    static T exchange_if(T* p, T expected, T desired) {
        std::atomic_ref<T>(*p).compare_exchange_strong(expected, desired, std::memory_order_acq_rel,
                                                       std::memory_order_acquire);
        return expected;
    }
    template <class T>
    static T exchange_if_relaxed(T* p, T expected, T desired) {
        std::atomic_ref<T>(*p).compare_exchange_strong(expected, desired, std::memory_order_relaxed);
        return expected;
    }
    template <class T>
    static void max_relaxed(T* p, T value) {
        T seen = load_relaxed(p);
        while (seen < value && !std::atomic_ref<T>(*p).compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
        }
    }
    static void pause() { std::this_thread::yield(); }

  private:
    // std::atomic_ref<T const> arrives only with C++26; a load does not write.
    template <class T>
    static std::atomic_ref<T> ref(T const* p) {
        return std::atomic_ref<T>(const_cast<T&>(*p));
    }
};

}  // namespace copse
