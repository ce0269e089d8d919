// A fiber that does one job after another. The sanitizers are told of every switch, and each fiber keeps its own
// exceptions in flight.
#pragma once

#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <boost/context/stack_context.hpp>
#include <copse/runtime/cpu/float_environment.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace copse::detail {

/// While one of these lives, the thread sanitizer does not look at what this fiber does: the scheduler's work between
/// two lanes must neither count as a race nor order what the lanes do.
class unseen_by_tsan {
  public:
    unseen_by_tsan();
    ~unseen_by_tsan();
    unseen_by_tsan(unseen_by_tsan const&) = delete;
    unseen_by_tsan& operator=(unseen_by_tsan const&) = delete;
};

/// For the thread sanitizer each fiber is a thread of its own, and a switch orders nothing.
/// Used from one thread at a time. Not copied, not moved: the fiber holds its address.
class lane_fiber {
  public:
    lane_fiber();
    /// No job may be unfinished.
    ~lane_fiber();
    lane_fiber(lane_fiber const&) = delete;
    lane_fiber& operator=(lane_fiber const&) = delete;

    /// The job begins with the next `resume`, in the caller's floating-point environment. It must not throw.
    void assign(std::function<void()> job) {
        job_ = std::move(job);
        environment_ = float_environment();
    }
    /// From outside: the job goes on until it calls `suspend` (true) or ends (false).
    bool resume();
    /// From inside the job: goes back to the caller of `resume`.
    void suspend();

  private:
    /// Exceptions that have been thrown and not yet handled belong to the stack they travel on: the C++ ABI's
    /// __cxa_eh_globals, a pointer and a count.
    using exception_state = std::array<void*, 2>;

    static void work(boost::context::detail::transfer_t outside);

    // Not boost::context::fiber: it runs a little of a fiber when it makes one, and ends it by returning from its
    // functions; the thread sanitizer's record of who called whom does not survive that. This one never ends, its stack
    // just goes.
    boost::context::stack_context stack_;
    boost::context::detail::fcontext_t inside_ = nullptr;
    boost::context::detail::fcontext_t outside_ = nullptr;
    std::function<void()> job_;
    float_environment environment_;  // a switch keeps the fiber's, which is that of the job before
    exception_state exceptions_{};
    [[maybe_unused]] void const* outside_stack_ = nullptr;  // address sanitizer
    [[maybe_unused]] std::size_t outside_stack_bytes_ = 0;
    [[maybe_unused]] void* inside_tsan_ = nullptr;  // thread sanitizer
    [[maybe_unused]] void* outside_tsan_ = nullptr;
};

/// Fibers without a job: making one costs system calls.
class fiber_pool {
  public:
    lane_fiber* take();
    void give_back(lane_fiber* fiber) { free_.push_back(fiber); }

  private:
    std::vector<std::unique_ptr<lane_fiber>> all_;
    std::vector<lane_fiber*> free_;
};

}  // namespace copse::detail
