// The blocks of a GPU's memory, without the calls of CUDA (gpu/memory.cu makes these), so that tests need no GPU: how
// room for one is found where memory is short, what may stay unused behind their bytes, and how they go back.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <unordered_map>

namespace copse::detail {

/// The ways to memory that cost least come first. Whether attempt() found some: at once; behind trim(), which gives
/// back what nobody uses and waits for nothing; or behind wait(), when what is on its way back can be given back too.
/// Where may_wait() is false there is one attempt.
template <class Attempt, class MayWait, class Trim, class Wait>
[[nodiscard]] bool find_room(Attempt const& attempt, MayWait const& may_wait, Trim const& trim, Wait const& wait) {
    if (attempt()) return true;
    if (!may_wait()) return false;
    trim();
    if (attempt()) return true;
    wait();
    trim();
    return attempt();
}

/// Bytes of blocks in use that nobody wants any more. Moving what is wanted to a smaller block costs a copy of it all,
/// and a wait: so they stay where they are, as long as all blocks together have at most `most` of them. Thread-safe.
class unwanted_bytes {
  public:
    /// Whether so many bytes of a block may stay. Those that stay count until forget(). Throws std::bad_alloc.
    [[nodiscard]] bool keep(void* block, std::size_t bytes, std::size_t most) {
        std::scoped_lock const lock(mutex_);
        if (all_ > most || bytes > most - all_) return false;
        of_[block] += bytes;
        all_ += bytes;
        return true;
    }
    /// The block is in use no more.
    void forget(void* block) noexcept {
        std::scoped_lock const lock(mutex_);
        auto const found = of_.find(block);
        if (found == of_.end()) return;
        all_ -= found->second;
        of_.erase(found);
    }

  private:
    std::mutex mutex_;
    std::unordered_map<void*, std::size_t> of_;
    std::size_t all_ = 0;
};

/// Blocks of memory that go back once everybody who may use them is done. Where that cannot be waited for, they stay
/// until it can. Thread-safe. wait(): true when nobody uses the blocks given to free() before any more.
/// give_back(block): true when it did. Neither throws.
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
