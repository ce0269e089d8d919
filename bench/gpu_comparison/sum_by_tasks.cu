// Sums as add() makes them, but with other tasks for pairs of large leaves (algebra/sums/add_tasks.hpp).
#include <copse/algebra/sums/add_run.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>

#include "bench/gpu_comparison/sum.hpp"

namespace copse::bench {

template <class T>
hisparse<T> sum_by_tasks(sum_tasks which, gpu& executor, hisparse<T> const& a, hisparse<T> const& b,
                         add_options const& options) {
    return which == sum_tasks::by_halves
               ? detail::add_on<T, detail::add_by_halves>(executor, T(1), a, T(1), b, options)
               : detail::add_on<T, detail::add_by_intervals>(executor, T(1), a, T(1), b, options);
}

template hisparse<float> sum_by_tasks(sum_tasks, gpu&, hisparse<float> const&, hisparse<float> const&,
                                      add_options const&);
template hisparse<double> sum_by_tasks(sum_tasks, gpu&, hisparse<double> const&, hisparse<double> const&,
                                       add_options const&);

}  // namespace copse::bench
