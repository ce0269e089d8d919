// The emulated GPU's atomic operations: the CPU's, and before each of them another lane may go on.
#pragma once

#include <copse/runtime/scheduler/machine.hpp>
#include <cstdint>

namespace copse {
namespace detail {

/// Another lane may go on here. Does nothing outside the lanes of an emulated grid.
void lane_point();
/// The same, in a wait.
void lane_pause();

/// Around an atomic operation on *p, for the check of races (races.hpp). orders: acquire and release.
class watched_change {
  public:
    explicit watched_change(void const* p, bool orders = false);
    ~watched_change();
    watched_change(watched_change const&) = delete;
    watched_change& operator=(watched_change const&) = delete;

  private:
    void const* p_;
};
/// A lane pushes an item, or a range, to a queue.
void lane_publishes(void const* queue, std::uint64_t position);
void lane_publishes_range(void const* queue);

}  // namespace detail

struct emulated_machine {
    using unwatched = cpu_machine;

    template <class T>
    static T load_relaxed(T const* p) {
        detail::lane_point();
        return cpu_machine::load_relaxed(p);
    }
    template <class T>
    static T load_acquire(T const* p) {
        detail::lane_point();
        return cpu_machine::load_acquire(p);
    }
    template <class T>
    static void store_relaxed(T* p, T value) {
        detail::lane_point();
        cpu_machine::store_relaxed(p, value);
    }
    template <class T>
    static void store_release(T* p, T value) {
        detail::lane_point();
        cpu_machine::store_release(p, value);
    }
    template <class T>
    static T add_relaxed(T* p, T value) {
        detail::lane_point();
        detail::watched_change const change(p);
        return cpu_machine::add_relaxed(p, value);
    }
    template <class T>
    static T add_acq_rel(T* p, T value) {
        detail::lane_point();
        detail::watched_change const change(p, true);
        return cpu_machine::add_acq_rel(p, value);
    }
    template <class T>
    static T exchange_if(T* p, T expected, T desired) {
        detail::lane_point();
        detail::watched_change const change(p, true);
        return cpu_machine::exchange_if(p, expected, desired);
    }
    template <class T>
    static T exchange_if_relaxed(T* p, T expected, T desired) {
        detail::lane_point();
        detail::watched_change const change(p);
        return cpu_machine::exchange_if_relaxed(p, expected, desired);
    }
    template <class T>
    static void max_relaxed(T* p, T value) {
        detail::lane_point();
        detail::watched_change const change(p);
        cpu_machine::max_relaxed(p, value);
    }
    static void or_relaxed(std::uint32_t* p, std::uint32_t bits) {
        detail::lane_point();
        detail::watched_change const change(p);
        std::atomic_ref(*p).fetch_or(bits, std::memory_order_relaxed);
    }
    static void published(void const* tickets, std::uint64_t position) { detail::lane_publishes(tickets, position); }
    static void published_range(void const* counters) { detail::lane_publishes_range(counters); }
    static void pause() { detail::lane_pause(); }
    static void pause(int) { detail::lane_pause(); }
};

}  // namespace copse
