// A parallel loop whose bodies may throw: an exception must not leave an OpenMP region.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

namespace copse::detail {

/// body(state, i) for 0 <= i < count, `chunk` indices at a time, on all OpenMP threads; each thread makes its own
/// state. The first exception is rethrown after all threads have stopped; indices not begun by then are left out.
template <class MakeState, class Body>
void parallel_for(std::int64_t count, std::int64_t chunk, MakeState make_state, Body body) {
    std::atomic<std::int64_t> next{0};
    std::exception_ptr thrown;
    std::mutex thrown_mutex;
#pragma omp parallel if (count > chunk)
    {
        try {
            auto state = make_state();
            for (std::int64_t begin; (begin = next.fetch_add(chunk, std::memory_order_relaxed)) < count;) {
                std::int64_t const end = begin + chunk < count ? begin + chunk : count;
                for (std::int64_t i = begin; i < end; ++i) body(state, i);
            }
        } catch (...) {
            next.store(count, std::memory_order_relaxed);
            std::scoped_lock const lock(thrown_mutex);
            if (!thrown) thrown = std::current_exception();
        }
    }
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace copse::detail
