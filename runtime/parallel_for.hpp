// A parallel loop whose bodies may throw: an exception must not leave an OpenMP region.
#pragma once

#include <atomic>
#include <copse/runtime/work_shares.hpp>
#include <cstdint>
#include <exception>
#include <mutex>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace copse::detail {

/// One without OpenMP, as under the thread sanitizer, which does not understand it.
inline int most_parallel_threads() {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}
inline int this_parallel_thread() {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/// body(state, i) for 0 <= i < count, `chunk` indices at a time, on all OpenMP threads; each thread makes its own
/// state and begins with its own share of the indices. The first exception is rethrown after all threads have stopped;
/// indices not begun by then are left out.
template <class MakeState, class Body>
void parallel_for(std::int64_t count, std::int64_t chunk, MakeState make_state, Body body) {
    work_shares shares = work_shares::even(count, most_parallel_threads());
    std::atomic<bool> stopped{false};
    std::exception_ptr thrown;
    std::mutex thrown_mutex;
#pragma omp parallel if (count > chunk)
    {
        try {
            auto state = make_state();
            shares.for_each(this_parallel_thread(), chunk, [&](std::int64_t begin, std::int64_t end) {
                if (stopped.load(std::memory_order_relaxed)) return;
                for (std::int64_t i = begin; i < end; ++i) body(state, i);
            });
        } catch (...) {
            stopped.store(true, std::memory_order_relaxed);
            std::scoped_lock const lock(thrown_mutex);
            if (!thrown) thrown = std::current_exception();
        }
    }
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace copse::detail
