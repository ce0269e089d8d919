// Compaction on the gpu executor.
#include <copse/algebra/values/compact_run.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>

namespace copse {

template <class T>
hisparse<T> compact(gpu& executor, hisparse<T> const& a, compact_options options) {
    return detail::compact_by_tasks(executor, a, options, [&](auto const&... run_of) { run(executor, run_of...); });
}

template hisparse<float> compact(gpu&, hisparse<float> const&, compact_options);
template hisparse<double> compact(gpu&, hisparse<double> const&, compact_options);

}  // namespace copse
