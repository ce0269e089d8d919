#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/float_environment.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/cpu/processes.hpp>
#include <copse/runtime/cpu/processors.hpp>
#include <copse/runtime/cpu/thread_start.hpp>
#include <utility>
#ifdef _OPENMP
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#endif

namespace copse::detail {
namespace {

thread_local int asked_threads = 0;

#ifdef _OPENMP
// OpenMP's default is the number of processors when the library was loaded, whatever a quota says.
bool const user_has_said = std::getenv("OMP_NUM_THREADS") != nullptr;
int const processors_at_load = processors_of_affinity();

int default_threads() {
    int const threads = omp_get_max_threads();
    bool const is_default = !user_has_said && (threads == processors_at_load || threads == omp_get_num_procs());
    return is_default ? std::min(threads, usable_processors()) : threads;
}

/// Inside of a user's region another one has a single thread, unless the user has allowed for more.
bool is_nested_too_deep() {
    return omp_get_active_level() >= omp_get_max_active_levels();
}

/// What the calling thread knows of OpenMP's threads, which are its own: those beyond the last region's width have
/// ended.
struct region_widths {
    int last = 1;
    int tried = 1;  // with this result:
    int found = 1;
};

/// Up to `threads` threads, of which a region of this thread finds that they start. With `starting` locked where they
/// have been tried just now: until the region has started them no other thread of this process tries.
int startable_threads(int threads, std::unique_lock<std::mutex>& starting) {
    static std::mutex one_at_a_time;
    thread_local region_widths widths;
    if (omp_get_level() > 0) widths.last = 1;  // inside of a user's region threads end with each region
    if (threads > widths.tried || std::min(threads, widths.found) > widths.last) {
        starting = std::unique_lock(one_at_a_time);
        widths.found = widths.last + count_startable_threads(threads - widths.last);
        widths.tried = threads;
    }
    return widths.last = std::min(threads, widths.found);
}

void run_region(int threads, std::function<void(int, int)> const& work) {
    std::unique_lock<std::mutex> starting;
    threads = startable_threads(threads, starting);
    if (threads == 1) {
        if (starting) starting.unlock();
        return work(0, 1);
    }
    float_environment const callers;
#pragma omp parallel num_threads(threads)
    {
        int const rank = omp_get_thread_num(), count = omp_get_num_threads();
        if (rank == 0) {
            if (starting) starting.unlock();
            work(rank, count);
        } else {
            borrowed_float_environment const environment(callers);  // the threads serve others too
            work(rank, count);
        }
    }
}
#endif

}  // namespace

int most_loop_threads() {
    if (thread_team::is_working()) return 1;
    if (thread_team const* const team = loop_team::current()) return team->size();
#ifdef _OPENMP
    if (process_generation() > 0 || is_nested_too_deep()) return 1;
    return asked_threads > 0 ? asked_threads : default_threads();
#else
    return 1;
#endif
}

void run_loop_threads(int threads, std::function<void(int, int)> const& work) {
    if (threads <= 1 || thread_team::is_working()) return work(0, 1);
    if (thread_team* const team = loop_team::current())
        return team->run([&, count = team->size()](int rank) { work(rank, count); });
#ifdef _OPENMP
    if (process_generation() == 0 && !is_nested_too_deep()) return run_region(threads, work);
#endif
    work(0, 1);
}

}  // namespace copse::detail

namespace copse {

int set_loop_threads(int threads) noexcept {
    return std::exchange(detail::asked_threads, threads);
}

}  // namespace copse
