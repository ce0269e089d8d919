// Sums into a stretch of memory, for workers of many lanes (gpu and emulated).
//
//   scratch   | tile of warp 0 | tile of warp 1 | ...     one for each 32 lanes, so that no two warps add to the same
#pragma once

#include <copse/runtime/add_in_order.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/task.hpp>
#include <utility>

namespace copse::detail {

/// Sums in scratch first: one atomic addition to memory per element that got anything. Collective.
template <class T, class Worker>
class scratch_tile {
  public:
    COPSE_HOST_DEVICE scratch_tile(Worker& worker, T* target, int count)
        : worker_(worker),
          target_(target),
          sums_(worker.template scratch<T>(warps * count)),
          own_(sums_.part(worker.rank() / 32 * count, count)) {
        for (int i = worker_.rank(); i < sums_.size(); i += worker_.size()) sums_[i] = T(0);
        worker_.sync();
    }
    COPSE_HOST_DEVICE void add(int i, T value) const { add_in_order(own_, i, value, worker_.warp()); }
    COPSE_HOST_DEVICE void add_alone(int i, T value) const { own_[i] += value; }
    COPSE_HOST_DEVICE void close() const {
        worker_.sync();
        for (int i = worker_.rank(); i < own_.size(); i += worker_.size()) {
            T sum = sums_[i];
            for (int warp = 1; warp < warps; ++warp) sum += sums_[warp * own_.size() + i];
            if (!(sum == T(0))) worker_.add(&target_[i], sum);
        }
        worker_.sync();  // the next user of scratch may write now
    }

  private:
    using sums = decltype(std::declval<Worker&>().template scratch<T>(0));
    static constexpr int warps = (Worker::size() + 31) / 32;

    Worker& worker_;
    T* target_;
    sums sums_;  // of all warps
    sums own_;   // of the lane's warp
};

/// For items too small to be worth scratch memory.
template <class T, class Worker>
class direct_tile {
  public:
    COPSE_HOST_DEVICE direct_tile(Worker& worker, T* target) : worker_(worker), target_(target) {}
    COPSE_HOST_DEVICE void add(int i, T value) const {
        if (i >= 0) worker_.add(&target_[i], value);
    }
    COPSE_HOST_DEVICE void add_alone(int i, T value) const { worker_.add(&target_[i], value); }
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
