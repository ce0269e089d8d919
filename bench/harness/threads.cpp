#include "bench/harness/threads.hpp"

#include <copse/runtime/processors.hpp>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace copse::bench::measure {

int use_threads(int wanted) {
    int const threads = wanted > 0 ? wanted : usable_processors();
    set_loop_threads(threads);
#ifdef _OPENMP
    omp_set_num_threads(threads);  // of the libraries that the benchmarks compare with
#endif
    return threads;
}

}  // namespace copse::bench::measure
