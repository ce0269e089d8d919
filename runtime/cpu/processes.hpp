// What fork() leaves behind: a child has its parent's memory and none of its other threads.
#pragma once

#include <atomic>

namespace copse::detail {

/// 0 in the process that loaded the library, 1 in its children by fork(), 2 in theirs. A program that exec() starts
/// begins at 0. Costs no system call.
unsigned process_generation() noexcept;

/// Remembers the process that made something of which a child by fork() only has a copy that it cannot use: threads,
/// CUDA.
class process_mark {
  public:
    /// Of this process, unless an ancestor has set it.
    void set() noexcept {
        unsigned expected = nobody;
        of_.compare_exchange_strong(expected, process_generation(), std::memory_order_relaxed);
    }
    void clear() noexcept { of_.store(nobody, std::memory_order_relaxed); }
    /// Whether an ancestor of this process has set it.
    bool is_of_ancestor() const noexcept {
        unsigned const of = of_.load(std::memory_order_relaxed);
        return of != nobody && of != process_generation();
    }

  private:
    static constexpr unsigned nobody = ~0u;
    std::atomic<unsigned> of_{nobody};
};

}  // namespace copse::detail
