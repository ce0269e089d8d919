// Sums into a stretch of memory, for workers of many lanes (gpu and emulated).
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/task.hpp>
#include <utility>

namespace copse::detail {

/// Sums in scratch first: one atomic addition to memory per element that got anything. Collective.
template <class T, class Worker>
class scratch_tile {
  public:
    COPSE_HOST_DEVICE scratch_tile(Worker& worker, T* target, int count)
        : worker_(worker), target_(target), sums_(worker.template scratch<T>(count)) {
        for (int i = worker_.rank(); i < count; i += worker_.size()) sums_[i] = T(0);
        worker_.sync();
    }
    COPSE_HOST_DEVICE void add(int i, T value) const { worker_.add_scratch(&sums_[i], value); }
    /// Where no other lane adds to element i between the syncs before and after.
    COPSE_HOST_DEVICE void add_alone(int i, T value) const { sums_[i] += value; }
    COPSE_HOST_DEVICE void close() const {
        worker_.sync();
        for (int i = worker_.rank(); i < sums_.size(); i += worker_.size())
            if (!(sums_[i] == T(0))) worker_.add(&target_[i], sums_[i]);
        worker_.sync();  // the next user of scratch may write now
    }

  private:
    Worker& worker_;
    T* target_;
    decltype(std::declval<Worker&>().template scratch<T>(0)) sums_;
};

/// For items too small to be worth scratch memory.
template <class T, class Worker>
class direct_tile {
  public:
    COPSE_HOST_DEVICE direct_tile(Worker& worker, T* target) : worker_(worker), target_(target) {}
    COPSE_HOST_DEVICE void add(int i, T value) const { worker_.add(&target_[i], value); }
    COPSE_HOST_DEVICE void add_alone(int i, T value) const { add(i, value); }
    COPSE_HOST_DEVICE void close() const {}

  private:
    Worker& worker_;
    T* target_;
};

template <class T, class Task, class Worker>
COPSE_HOST_DEVICE auto make_tile(Worker& worker, T* target, [[maybe_unused]] int count) {
    if constexpr (task_scratch_bytes<Task>() > 0)
        return scratch_tile<T, Worker>(worker, target, count);
    else
        return direct_tile<T, Worker>(worker, target);
}

}  // namespace copse::detail
