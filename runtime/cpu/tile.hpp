// Sums into a stretch of memory that several threads add to, on the CPU.
//
// If a thread has one tile open and nobody holds the stretch's locks, it takes these and adds in place. Otherwise it
// adds to a private copy and merges that at close(). Atomic additions per element cost about 20 cycles each; a lock
// costs that once for a KiB.
//
// A thread that waits for a lock holds none, so that any number of tiles may be open, and close in any order: if a
// thread opens a second tile, the first gives its locks back and goes on with a private copy.
#pragma once

#include <algorithm>
#include <copse/runtime/cpu/stretch_locks.hpp>
#include <copse/runtime/scheduler/fold.hpp>
#include <cstddef>
#include <deque>
#include <vector>

namespace copse::detail {

/// A tile of which only its thread knows.
class open_tile {
  public:
    /// Gives the locks back. What is added from now on goes to a private copy.
    virtual void step_aside() = 0;

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

    open_tile* in_place = nullptr;  // the tile that holds locks; no other is open then
    int apart = 0;                  // open tiles with private copies

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
    std::deque<copy> copies_;
};

template <class T, class Op = plus>
class cpu_tile final : private open_tile {
  public:
    /// While other threads run, target[0 .. size) is changed through tiles only, all with the same operation.
    cpu_tile(T* target, int size, thread_tiles& tiles) : target_(target), size_(size), tiles_(tiles) {
        if (!tiles.in_place && tiles.apart == 0 && size > 0 && stretch(target, bytes()).try_lock()) {
            sums_ = target;
            tiles.in_place = this;
        } else {
            if (tiles.in_place) tiles.in_place->step_aside();
            add_apart();
        }
    }
    cpu_tile(cpu_tile const&) = delete;
    cpu_tile& operator=(cpu_tile const&) = delete;
    ~cpu_tile() { close(); }

    void add(int i, T value) {
        if (i >= 0) add_alone(i, value);
    }
    void add_alone(int i, T value) { add_one<Op>(sums_[i], value); }
    /// Where sums go, until the thread opens another tile.
    T* sums() const noexcept { return sums_; }

    void close() {
        if (!target_) return;
        if (!copy_) {
            stretch(target_, bytes()).unlock();
            tiles_.in_place = nullptr;
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
    void step_aside() override {
        add_apart();
        stretch(target_, bytes()).unlock();
        tiles_.in_place = nullptr;
    }

    T* target_;
    T* sums_;
    int size_;
    thread_tiles& tiles_;
    thread_tiles::copy* copy_ = nullptr;
};

}  // namespace copse::detail
