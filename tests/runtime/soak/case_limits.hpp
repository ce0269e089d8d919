// Times within which the cases of several threads have to end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace copse::tests {

/// Ends the program where a case has not ended in time, and says which: nobody can end a run that hangs.
class case_limits {
    using clock = std::chrono::steady_clock;
    using entry_list = std::list<std::pair<std::string, clock::time_point>>;

  public:
    case_limits() : watch_([this](std::stop_token const& stop) { watch(stop); }) {}

    /// While it lives the case runs, for as long as `limit`.
    class entry {
      public:
        entry(case_limits& all, std::string text, std::chrono::seconds limit) : all_(all) {
            std::scoped_lock const lock(all.mutex_);
            at_ = all.running_.insert(all.running_.end(), {std::move(text), clock::now() + limit});
        }
        ~entry() {
            std::scoped_lock const lock(all_.mutex_);
            all_.running_.erase(at_);
        }
        entry(entry const&) = delete;

      private:
        case_limits& all_;
        entry_list::iterator at_;
    };

  private:
    void watch(std::stop_token const& stop) {
        std::unique_lock lock(mutex_);
        while (!stop.stop_requested()) {
            waiting_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
            for (auto const& [text, end] : running_) {
                if (clock::now() < end) continue;
                std::printf("has not ended in time: %s\n", text.c_str());
                std::fflush(stdout);
                std::_Exit(1);
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable_any waiting_;
    entry_list running_;
    std::jthread watch_;
};

}  // namespace copse::tests
