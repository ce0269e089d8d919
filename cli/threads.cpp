#include "cli/threads.hpp"

#include <algorithm>
#include <thread>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace copse::measure {

int use_threads(int wanted) {
    int const threads = wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
    return threads;
}

}  // namespace copse::measure
