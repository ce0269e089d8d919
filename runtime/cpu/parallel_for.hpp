// Parallel loops, on OpenMP's threads or on those of an executor; bodies may throw.
#pragma once

#include <atomic>
#include <copse/runtime/cancellable.hpp>
#include <copse/runtime/cpu/thread_team.hpp>
#include <copse/runtime/cpu/work_portions.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

namespace copse::detail {

/// While it lives, this thread's parallel loops are the team's: memory that they are the first to write is then near
/// the threads that will run the team's other work. None: OpenMP's threads, or one where there is no OpenMP.
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
    if constexpr (requires { team_of(executor); }) {
        loop_team const loops(&team_of(executor));
        return f();
    } else {
        return f();
    }
}

/// 1 inside of another loop's body or of a task function, and on OpenMP's threads in a child by fork().
int most_loop_threads();

/// Calls work(rank, count) once for each rank < count, side by side. `count` is the team's size; without a team
/// `threads`, or fewer if the system does not start that many; 1 where most_loop_threads() is 1. `work` must not throw.
/// Rank 0 is the caller, and all ranks have its floating-point environment. Every parallel loop of the library goes
/// through here.
///
/// OpenMP's libraries end the process if they cannot start a thread. So the first loop of each calling thread, and each
/// loop that is wider than the one before, first counts the threads that start (count_startable_threads(), tens of
/// microseconds for each). The process still ends if others take the last threads of a limit between the count and the
/// loop, or if OMP_STACKSIZE asks for stacks for which there is no address space.
void run_loop_threads(int threads, std::function<void(int rank, int count)> const& work);

/// body(part) for part < parts, on up to `parts` threads; part p on rank p if there are that many. `body` must not
/// throw.
template <class Body>
void for_parts(int parts, Body body) {
    run_loop_threads(parts, [&](int rank, int count) {
        for (int part = rank; part < parts; part += count) body(part);
    });
}

/// body(state, first, last) for stretches of up to `chunk` of the indices below `count`; each thread makes its own
/// state and begins with its own portion of the indices. The first exception is rethrown after all threads have
/// stopped; indices not begun by then are left out. Throws `cancelled` when a stop is requested of the caller's
/// cancellable scope.
template <class MakeState, class Body>
void for_stretches_with(std::int64_t count, std::int64_t chunk, MakeState make_state, Body body) {
    int const threads = count > chunk ? most_loop_threads() : 1;
    work_portions portions = work_portions::even(count, threads);
    std::stop_token const stop = cancellable::of_this_thread();
    std::atomic<bool> stopped{false};
    std::exception_ptr thrown;
    std::mutex thrown_mutex;
    run_loop_threads(threads, [&](int thread, int) {
        try {
            auto state = make_state();
            portions.for_each(thread, chunk, [&](std::int64_t first, std::int64_t last) {
                if (stopped.load(std::memory_order_relaxed)) return;
                check_stop(stop);
                body(state, first, last);
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
