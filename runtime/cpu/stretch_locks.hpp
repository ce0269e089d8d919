// Locks for stretches of memory, by address: a lock for each KiB.
//
//   | KiB 0 | KiB 1 | KiB 2 | ...      a stretch has the locks of all KiB in which it has bytes, so that overlapping
//       |-- stretch --|                stretches have one in common, wherever they begin
//
// The locks are a fixed table of the process, not of a run: nothing is allocated, and unrelated memory merely shares a
// lock now and then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace copse::detail {

inline constexpr std::uintptr_t lock_granule_bytes = 1024, lock_count = 1024;

struct alignas(64) padded_lock {
    std::atomic_flag flag = ATOMIC_FLAG_INIT;
};
inline padded_lock stretch_locks[lock_count];

/// The lock for bytes granule * lock_granule_bytes and on. Neighbours have different locks, and so have granules whose
/// distance is a power of two, as equal places of two halves of an array are.
inline std::atomic_flag& lock_of(std::uintptr_t granule) noexcept {
    return stretch_locks[(granule + granule / lock_count * 389) % lock_count].flag;
}

/// Bytes of memory that are locked together.
class stretch {
  public:
    stretch(void const* p, std::size_t bytes) noexcept
        : first_(reinterpret_cast<std::uintptr_t>(p) / lock_granule_bytes),
          last_((reinterpret_cast<std::uintptr_t>(p) + bytes - 1) / lock_granule_bytes) {}

    /// Takes all locks, or none if another holds one. Does not wait.
    [[nodiscard]] bool try_lock() const noexcept {
        for (std::uintptr_t granule = first_; granule <= last_; ++granule)
            if (lock_of(granule).test_and_set(std::memory_order_acquire)) [[unlikely]] {
                while (granule-- > first_) lock_of(granule).clear(std::memory_order_relaxed);
                return false;
            }
        return true;
    }
    void unlock() const noexcept {
        for (std::uintptr_t granule = first_; granule <= last_; ++granule)
            lock_of(granule).clear(std::memory_order_release);
    }

  private:
    std::uintptr_t first_, last_;
};

/// Calls f(first, last) for each part of p[0 .. count) that has one lock, with that lock held. Waits for the lock,
/// holding no other.
template <class T, class F>
void for_each_locked(T const* p, int count, F f) {
    auto const begin = reinterpret_cast<std::uintptr_t>(p);
    for (int first = 0; first < count;) {
        std::uintptr_t const at = begin + static_cast<std::uintptr_t>(first) * sizeof(T);
        std::uintptr_t const left = lock_granule_bytes - at % lock_granule_bytes;
        int const fitting = static_cast<int>((left + sizeof(T) - 1) / sizeof(T));
        int const last = fitting < count - first ? first + fitting : count;
        std::atomic_flag& lock = lock_of(at / lock_granule_bytes);
        while (lock.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
        f(first, last);
        lock.clear(std::memory_order_release);
        first = last;
    }
}

}  // namespace copse::detail
