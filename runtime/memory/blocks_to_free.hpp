// Blocks of memory that go back once everybody who may use them is done. Where that cannot be waited for, they stay
// until it can.
#pragma once

#include <list>
#include <mutex>

namespace copse::detail {

/// Thread-safe. wait(): true when nobody uses the blocks given to free() before any more. give_back(block): true when
/// it did. Neither throws.
class blocks_to_free {
  public:
    /// Before each block that is made: free() then needs no memory. Throws std::bad_alloc.
    void expect_one() {
        std::scoped_lock const lock(mutex_);
        expected_.push_front(nullptr);
    }
    /// It could not be made.
    void expect_one_less() noexcept {
        std::scoped_lock const lock(mutex_);
        expected_.pop_front();
    }

    /// A block that was expected, and those that stayed.
    template <class Wait, class GiveBack>
    void free(void* block, Wait const& wait, GiveBack const& give_back) noexcept {
        {
            std::scoped_lock const lock(mutex_);
            expected_.front() = block;
            waiting_.splice(waiting_.end(), expected_, expected_.begin());
        }
        free_waiting(wait, give_back);
    }

    /// A block that was expected, and that nobody uses any more: does not wait.
    template <class GiveBack>
    void free_unused(void* block, GiveBack const& give_back) noexcept {
        std::list<void*> one;
        {
            std::scoped_lock const lock(mutex_);
            expected_.front() = block;
            one.splice(one.end(), expected_, expected_.begin());
        }
        if (give_back(block)) return;
        std::scoped_lock const lock(mutex_);
        waiting_.splice(waiting_.begin(), one);
    }

    /// Those that stayed. Does not wait where there are none.
    template <class Wait, class GiveBack>
    void free_waiting(Wait const& wait, GiveBack const& give_back) noexcept {
        std::list<void*> blocks;  // what comes from now on needs a wait of its own
        {
            std::scoped_lock const lock(mutex_);
            blocks.swap(waiting_);
        }
        if (blocks.empty()) return;
        if (wait()) blocks.remove_if(give_back);
        std::scoped_lock const lock(mutex_);
        waiting_.splice(waiting_.begin(), blocks);
    }

  private:
    std::mutex mutex_;
    std::list<void*> expected_;  // an element for each block in use
    std::list<void*> waiting_;
};

}  // namespace copse::detail
