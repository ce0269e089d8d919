// A value that is made when it is first asked for, once, whichever threads ask for it.
#pragma once

#include <atomic>
#include <copse/runtime/cpu/thread_team.hpp>
#include <memory>
#include <mutex>

namespace copse::detail {

/// Never changed once it is made. Thread-safe.
template <class V>
class made_once {
  public:
    made_once() = default;
    ~made_once() { delete made_.load(std::memory_order_relaxed); }
    made_once(made_once const&) = delete;
    made_once& operator=(made_once const&) = delete;

    /// Null before the value is made. Acquires what the exchange in get() releases.
    V const* made() const noexcept { return made_.load(std::memory_order_acquire); }

    /// Returns the value. If there is none yet, it is what make() returns, a std::unique_ptr<V>; other threads wait for
    /// it. If make() throws, this throws the same, and the next call makes the value.
    template <class Make>
    V const& get(Make const& make) const {
        if (V const* const there = made()) return *there;
        std::unique_lock lock(making_, std::defer_lock);
        // A thread at work for a team does not wait here: the thread that makes the value may be waiting for that team.
        // It makes a value of its own, which is kept if it is the first.
        if (!thread_team::is_working()) {
            lock.lock();
            if (V const* const there = made()) return *there;
        }
        std::unique_ptr<V> own = make();
        V const* first = nullptr;
        if (made_.compare_exchange_strong(first, own.get(), std::memory_order_acq_rel)) first = own.release();
        return *first;
    }

  private:
    mutable std::atomic<V const*> made_{nullptr};  // owned
    mutable std::mutex making_;
};

}  // namespace copse::detail
