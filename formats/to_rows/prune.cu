// Without the entries that are zero, on the gpu executor.
#include <copse/formats/prune.hpp>
#include <copse/formats/steps/gpu_steps.cuh>
#include <copse/formats/to_rows/prune_run.hpp>

namespace copse {

template <class T>
hisparse<T> prune(gpu& executor, hisparse<T> const& a, prune_options options) {
    detail::gpu_steps steps(executor);
    return detail::prune_rows(executor, steps, a, options);
}

template hisparse<float> prune(gpu&, hisparse<float> const&, prune_options);
template hisparse<double> prune(gpu&, hisparse<double> const&, prune_options);

}  // namespace copse
