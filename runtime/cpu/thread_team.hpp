// Threads that wait for work, so that a short run does not pay for starting them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace copse::detail {

/// `size` threads, the caller's included. Not copied, not moved: the threads hold its address.
/// std::jthread, not OpenMP: the thread sanitizer understands it.
class thread_team {
  public:
    explicit thread_team(int size);
    ~thread_team();
    thread_team(thread_team const&) = delete;
    thread_team& operator=(thread_team const&) = delete;

    int size() const noexcept { return static_cast<int>(helpers_.size()) + 1; }

    /// Calls work(rank) for every rank below size() and waits for all; rank 0 is the caller. `work` must not throw.
    /// Calls from several threads take turns. Throws argument_error from within the team's own work, which would wait for
    /// itself.
    void run(std::function<void(int)> const& work);

    /// Whether the calling thread is at work for a team.
    static bool is_working() noexcept { return working_for_ != nullptr; }

  private:
    void help(int rank);
    void work_as(int rank);

    static inline thread_local thread_team const* working_for_ = nullptr;
    std::mutex one_run_at_a_time_;
    std::function<void(int)> const* work_ = nullptr;
    // Odd or even does not matter, only that it changed: a new value releases the helpers, who acquire it.
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<int> busy_{0};
    std::atomic<bool> leaving_{false};
    std::vector<std::jthread> helpers_;
};

}  // namespace copse::detail
