// Sums into a stretch of memory that several threads add to, on the CPU.
//
// If nobody holds the stretch's locks, the thread takes them and adds in place. Otherwise it adds to a private copy and
// merges that at close(). Atomic additions per element cost about 20 cycles each; a lock costs that once for a KiB.
//
// A thread that waits for a lock holds none, so that any number of tiles may be open, and close in any order: only the
// merge of a private copy waits. If one of a thread's tiles needs such a copy, the others give their locks back and go
// on with copies, too.
//
//   | KiB 0 | KiB 1 | KiB 2 | ...      there is a lock for each KiB. A stretch has the locks of all KiB in which it has
//       |-- stretch --|                bytes, so that overlapping stretches have one in common, wherever they begin
//
// The locks are a fixed table of the process, not of a run: nothing is allocated, and unrelated memory merely shares a
// lock now and then.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <copse/runtime/scheduler/fold.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

namespace copse::detail {

/// Three tiles over the rows and columns of wide leaves take some 600 KiB. With 16,384 locks of a KiB each, two of them
/// seldom have a lock in common.
inline constexpr std::uintptr_t lock_granule_bytes = 1024, lock_count = 16384;

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

/// A tile of which only its thread knows.
class open_tile {
  public:
    /// Gives the locks back. What is added from now on goes to a private copy.
    virtual void step_aside() = 0;

    open_tile* next_in_place = nullptr;

  protected:
    ~open_tile() = default;
};

/// What a thread keeps for its tiles.
class thread_tiles {
  public:
    struct copy {
        std::vector<std::byte> bytes;
        bool taken = false;
    };

    void enter(open_tile& tile) {
        tile.next_in_place = in_place_;
        in_place_ = &tile;
    }
    void leave(open_tile const& tile) {
        open_tile** at = &in_place_;
        while (*at != &tile) at = &(*at)->next_in_place;
        *at = tile.next_in_place;
    }
    void all_step_aside() {
        while (in_place_) in_place_->step_aside();
    }

    int apart = 0;  // open tiles with private copies; if there are any, no tile is in place

    /// Room for a private copy, to be given back by `taken = false`.
    copy& take_copy(std::size_t bytes) {
        copy* room = nullptr;
        for (copy& each : copies_)
            if (!each.taken) room = &each;
        if (!room) room = &copies_.emplace_back();
        if (room->bytes.size() < bytes) room->bytes.resize(bytes);
        room->taken = true;
        return *room;
    }

  private:
    open_tile* in_place_ = nullptr;  // the tiles that hold locks
    std::deque<copy> copies_;
};

template <class T, class Op = plus>
class cpu_tile final : private open_tile {
  public:
    /// While other threads run, target[0 .. size) is changed through tiles only, all with the same operation.
    cpu_tile(T* target, int size, thread_tiles& tiles) : target_(target), size_(size), tiles_(tiles) {
        if (tiles.apart == 0 && size > 0 && stretch(target, bytes()).try_lock()) {
            sums_ = target;
            tiles.enter(*this);
        } else {
            tiles.all_step_aside();
            add_apart();
        }
    }
    cpu_tile(cpu_tile const&) = delete;
    cpu_tile& operator=(cpu_tile const&) = delete;
    ~cpu_tile() { close(); }

    void add(int i, T value) {
        if (i >= 0) add_alone(i, value);
    }
    template <std::size_t N>
    void add(int i, std::array<T, N> const& values) {
        if (i < 0) return;
        T* const to = sums_ + i;
        for (std::size_t k = 0; k < N; ++k) add_one<Op>(to[k], values[k]);
    }
    void add_alone(int i, T value) { add_one<Op>(sums_[i], value); }
    /// Where sums go, until the thread opens another tile.
    T* sums() const noexcept { return sums_; }

    void close() {
        if (!target_) return;
        if (!copy_) {
            give_back();
        } else {
            for_each_locked(target_, size_, [target = target_, sums = sums_](int first, int last) {
                for (int i = first; i < last; ++i) add_one<Op>(target[i], sums[i]);
            });
            copy_->taken = false;
            --tiles_.apart;
        }
        target_ = nullptr;
    }

  private:
    std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
    void add_apart() {
        copy_ = &tiles_.take_copy(bytes());
        sums_ = reinterpret_cast<T*>(copy_->bytes.data());
        std::fill_n(sums_, size_, Op::template identity<T>());
        ++tiles_.apart;
    }
    void give_back() {
        stretch(target_, bytes()).unlock();
        tiles_.leave(*this);
    }
    void step_aside() override {
        add_apart();
        give_back();
    }

    T* target_;
    T* sums_;
    int size_;
    thread_tiles& tiles_;
    thread_tiles::copy* copy_ = nullptr;
};

}  // namespace copse::detail
