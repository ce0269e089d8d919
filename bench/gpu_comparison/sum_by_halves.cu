// Sums as add() makes them, but for pairs of large leaves, of which a block has two at once.
#include <copse/algebra/sums/add_run.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>

#include "bench/gpu_comparison/sum.hpp"

namespace copse::bench {

template <class T>
hisparse<T> sum_by_halves(gpu& executor, hisparse<T> const& a, hisparse<T> const& b, add_options const& options) {
    return detail::add_on<T, detail::add_by_halves>(executor, T(1), a, T(1), b, options);
}

template hisparse<float> sum_by_halves(gpu&, hisparse<float> const&, hisparse<float> const&, add_options const&);
template hisparse<double> sum_by_halves(gpu&, hisparse<double> const&, hisparse<double> const&, add_options const&);

}  // namespace copse::bench
