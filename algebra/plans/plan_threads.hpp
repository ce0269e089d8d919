// How products with plans use the threads of a cpu.
#pragma once

#include <algorithm>
#include <atomic>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/work_portions.hpp>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

namespace copse::detail {

/// The parts of each thread: equal work. work_before: of each part, and of all.
inline work_portions portions_of(std::vector<std::int64_t> const& work_before, int threads) {
    std::vector<std::int64_t> ends;
    auto begin = work_before.begin();
    for (int t = 1; t < threads; ++t) {
        begin = std::lower_bound(begin, work_before.end() - 1, work_before.back() / threads * t);
        ends.push_back(begin - work_before.begin());
    }
    ends.push_back(static_cast<std::int64_t>(work_before.size()) - 1);
    return work_portions(std::move(ends));
}

/// Waking a thread takes as long as some ten thousand entries. columns: of X, which are multiplied together.
inline bool runs_alone(cpu const& executor, plan_direction const& lists, int columns = 1) {
    return executor.threads() == 1 || lists.time * columns < 20000;
}

/// work(thread, stopped) on each thread of the executor, or on this one alone. When one throws, `stopped` becomes true,
/// and the first exception is thrown when all have ended.
template <class Work>
void on_threads(cpu& executor, bool alone, Work const& work) {
    std::atomic<bool> stopped{false};
    exception_slot thrown;
    auto const guarded = [&](int thread) {
        try {
            work(thread, stopped);
        } catch (...) {
            stopped.store(true, std::memory_order_relaxed);
            thrown.keep(std::current_exception());
        }
    };
    if (alone)
        guarded(0);
    else
        team_of(executor).run(guarded);
    thrown.rethrow();
}

/// work(index) for index < count, on the threads that suit a product with `lists`.
template <class Work>
void for_each_index(cpu& executor, plan_direction const& lists, std::int64_t count, Work const& work) {
    bool const alone = runs_alone(executor, lists);
    auto portions = work_portions::even(count, alone ? 1 : executor.threads());
    on_threads(executor, alone, [&](int thread, std::atomic<bool> const& stopped) {
        portions.for_each(thread, 1, [&](std::int64_t index, std::int64_t) {
            if (!stopped.load(std::memory_order_relaxed)) work(index);
        });
    });
}

/// y <- beta * y, which sums are then added to. beta == 0 does not read y.
template <class V>
void begin_rows(V beta, V* y, std::int64_t count) {
    if (beta == V(0))
        std::fill_n(y, count, V(0));
    else if (beta != V(1))
        for (std::int64_t i = 0; i < count; ++i) y[i] *= beta;
}

}  // namespace copse::detail
