// Sums as add() makes them, but with other tasks for pairs of large leaves (algebra/sums/add_tasks.hpp).
#include <copse/algebra/sums/add_run.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>

#include "bench/gpu_comparison/sum.hpp"

namespace copse::bench {

hisparse<double> sum_by_tasks(sum_tasks which, gpu& executor, hisparse<double> const& a, hisparse<double> const& b,
                              add_options const& options) {
    return which == sum_tasks::by_halves
               ? detail::add_on<double, detail::add_by_halves>(executor, 1, a, 1, b, options)
               : detail::add_on<double, detail::add_by_intervals>(executor, 1, a, 1, b, options);
}

}  // namespace copse::bench
