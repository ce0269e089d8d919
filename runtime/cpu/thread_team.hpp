// Threads that wait for work, so that a short run does not pay for starting them.
#pragma once

#include <atomic>
#include <copse/runtime/cpu/float_environment.hpp>
#include <copse/runtime/cpu/processes.hpp>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace copse::detail {

/// The caller and threads of the team's own, the helpers. Not copied, not moved: the helpers hold its address.
/// std::thread, not OpenMP: the thread sanitizer understands it.
///
/// A child by fork() has a copy without helpers. Its first run starts others in their place, if no run was under way
/// when the child was made.
class thread_team {
  public:
    /// With as many threads as the system starts, at most `size`, the caller included.
    explicit thread_team(int size);
    ~thread_team();
    thread_team(thread_team const&) = delete;
    thread_team& operator=(thread_team const&) = delete;

    int size() const noexcept { return size_; }

    /// Calls work(rank) for every rank below size() and waits for all; rank 0 is the caller. `work` must not throw.
    /// Helpers take over the caller's floating-point environment. Calls from several threads take turns. In a child by
    /// fork() whose system starts fewer threads than the parent's, some call it for several ranks, one after the other.
    /// Throws argument_error from within the team's own work, which would wait for itself.
    void run(std::function<void(int)> const& work);

    /// Whether the calling thread is at work for a team.
    static bool is_working() noexcept { return working_for_ != nullptr; }

  private:
    void start_helpers(int wanted);
    void forget_helpers() noexcept;
    void help(int thread);
    void work_as(int thread);

    static inline thread_local thread_team const* working_for_ = nullptr;
    int size_;
    std::mutex one_run_at_a_time_;
    process_mark process_;  // whose threads the helpers are
    std::vector<std::thread> helpers_;
    std::function<void(int)> const* work_ = nullptr;
    float_environment environment_;  // of the caller
    int threads_ = 1;                // that work now: helpers and caller
    // Odd or even does not matter, only that it changed: a new value releases the helpers, who acquire it.
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<int> busy_{0};
    std::atomic<bool> leaving_{false};
};

}  // namespace copse::detail
