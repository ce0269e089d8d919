// Parallel loops, on OpenMP's threads or on those of an executor; bodies may throw.
#pragma once

#include <atomic>
#include <copse/runtime/cpu/thread_team.hpp>
#include <copse/runtime/cpu/work_shares.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace copse::detail {

/// While it lives, this thread's parallel loops are the team's: memory that they are the first to write is then near the
/// threads that will run the team's other work. None: OpenMP's threads, or one where there is no OpenMP.
class loop_team {
  public:
    explicit loop_team(thread_team* team) noexcept : before_(std::exchange(of_this_thread_, team)) {}
    ~loop_team() { of_this_thread_ = before_; }
    loop_team(loop_team const&) = delete;
    loop_team& operator=(loop_team const&) = delete;

    static thread_team* current() noexcept { return of_this_thread_; }

  private:
    static inline thread_local thread_team* of_this_thread_ = nullptr;
    thread_team* before_;
};

/// f(), whose parallel loops run on the executor's threads if it has some.
template <class Executor, class F>
decltype(auto) on_threads_of(Executor const& executor, F f) {
    if constexpr (requires { executor.team(); }) {
        loop_team const loops(&executor.team());
        return f();
    } else {
        return f();
    }
}

inline int most_loop_threads() {
    if (thread_team::is_working()) return 1;  // a loop inside of another's body, or of a task function
    if (thread_team const* const team = loop_team::current()) return team->size();
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

/// work(thread) for thread < threads <= most_loop_threads(), side by side. `work` must not throw.
inline void run_loop_threads(int threads, std::function<void(int)> const& work) {
    if (threads == 1) return work(0);
    if (thread_team* const team = loop_team::current()) return team->run(work);
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
    work(omp_get_thread_num());
#endif
}

/// body(state, first, last) for stretches of up to `chunk` of the indices below `count`; each thread makes its own state
/// and begins with its own share of the indices. The first exception is rethrown after all threads have stopped;
/// indices not begun by then are left out.
template <class MakeState, class Body>
void for_stretches_with(std::int64_t count, std::int64_t chunk, MakeState make_state, Body body) {
    int const threads = count > chunk ? most_loop_threads() : 1;
    work_shares shares = work_shares::even(count, threads);
    std::atomic<bool> stopped{false};
    std::exception_ptr thrown;
    std::mutex thrown_mutex;
    run_loop_threads(threads, [&](int thread) {
        try {
            auto state = make_state();
            shares.for_each(thread, chunk, [&](std::int64_t first, std::int64_t last) {
                if (!stopped.load(std::memory_order_relaxed)) body(state, first, last);
            });
        } catch (...) {
            stopped.store(true, std::memory_order_relaxed);
            std::scoped_lock const lock(thrown_mutex);
            if (!thrown) thrown = std::current_exception();
        }
    });
    if (thrown) std::rethrow_exception(thrown);
}

/// body(first, last)
template <class Body>
void for_stretches(std::int64_t count, std::int64_t chunk, Body body) {
    for_stretches_with(
        count, chunk, [] { return 0; }, [&](int, std::int64_t first, std::int64_t last) { body(first, last); });
}

/// body(state, i)
template <class MakeState, class Body>
void parallel_for(std::int64_t count, std::int64_t chunk, MakeState make_state, Body body) {
    for_stretches_with(count, chunk, make_state, [&](auto& state, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) body(state, i);
    });
}

/// body(i)
template <class Body>
void parallel_for(std::int64_t count, std::int64_t chunk, Body body) {
    for_stretches(count, chunk, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) body(i);
    });
}

}  // namespace copse::detail
