// Indices shared out among threads. A thread that comes back to the same portion finds in its own node of memory what
// it wrote there first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace copse::detail {

/// Each thread takes its own portion first, in order, then what others have left.
class work_portions {
  public:
    /// ends[t]: behind portion t; ascending, one or more. Portion 0 begins at 0.
    explicit work_portions(std::vector<std::int64_t> ends)
        : ends_(std::move(ends)), next_(std::make_unique<cursor[]>(ends_.size())) {
        for (std::size_t t = 1; t < ends_.size(); ++t) next_[t].index.store(ends_[t - 1], std::memory_order_relaxed);
    }

    /// Portions of `count` indices, of one size.
    static work_portions even(std::int64_t count, int threads) {
        std::vector<std::int64_t> ends;
        for (int t = 1; t <= threads; ++t) ends.push_back(count / threads * t + count % threads * t / threads);
        return work_portions(std::move(ends));
    }

    /// f(first, last) for stretches of up to `chunk` indices, until there are none. Any number of threads, each with a
    /// number of its own, 0 or more; every index is given out once.
    template <class F>
    void for_each(int thread, std::int64_t chunk, F f) {
        for (std::size_t k = 0; k < ends_.size(); ++k) {
            std::size_t const t = (static_cast<std::size_t>(thread) + k) % ends_.size();
            std::int64_t const end = ends_[t];
            for (std::int64_t i; (i = next_[t].index.fetch_add(chunk, std::memory_order_relaxed)) < end;)
                f(i, i + chunk < end ? i + chunk : end);
        }
    }

  private:
    struct alignas(64) cursor {
        std::atomic<std::int64_t> index{0};
    };
    std::vector<std::int64_t> ends_;
    std::unique_ptr<cursor[]> next_;
};

}  // namespace copse::detail
