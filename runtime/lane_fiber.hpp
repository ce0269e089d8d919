// A fiber that does one job after another. The sanitizers are told of every switch, and each fiber keeps its own
// exceptions in flight.
#pragma once

#include <array>
#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace copse::detail {

/// Used from one thread at a time. Not copied, not moved: the fiber holds its address.
class lane_fiber {
  public:
    lane_fiber();
    ~lane_fiber();  // no job may be unfinished
    lane_fiber(lane_fiber const&) = delete;
    lane_fiber& operator=(lane_fiber const&) = delete;

    /// The job begins with the next `resume`. It must not throw.
    void assign(std::function<void()> job) { job_ = std::move(job); }
    /// From outside: the job goes on until it calls `suspend` (true) or ends (false).
    bool resume();
    /// From inside the job: goes back to the caller of `resume`.
    void suspend();

  private:
    /// Exceptions that have been thrown and not yet handled belong to the stack they travel on: the C++ ABI's
    /// __cxa_eh_globals, a pointer and a count.
    using exception_state = std::array<void*, 2>;
    void work();
    void enter();  // the switches themselves
    void leave();

    boost::context::fiber inside_;
    boost::context::fiber outside_;
    std::function<void()> job_;
    bool closing_ = false;
    exception_state exceptions_{};
    // For the sanitizers; unused without them.
    void const* stack_ = nullptr;
    std::size_t stack_bytes_ = 0;
    void const* outside_stack_ = nullptr;
    std::size_t outside_stack_bytes_ = 0;
    void* inside_tsan_ = nullptr;
    void* outside_tsan_ = nullptr;
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
