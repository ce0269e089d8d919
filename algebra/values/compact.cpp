// Compaction on the CPU's executors.
#include <copse/algebra/values/compact_run.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse {

template <class T>
hisparse<T> compact(cpu& executor, hisparse<T> const& a, compact_options options) {
    return detail::compact_by_tasks(executor, a, options, [&](auto const&... run_of) { run(executor, run_of...); });
}
template <class T>
hisparse<T> compact(emulated& executor, hisparse<T> const& a, compact_options options) {
    return detail::compact_by_tasks(executor, a, options, [&](auto const&... run_of) { run(executor, run_of...); });
}

template hisparse<float> compact(cpu&, hisparse<float> const&, compact_options);
template hisparse<double> compact(cpu&, hisparse<double> const&, compact_options);
template hisparse<float> compact(emulated&, hisparse<float> const&, compact_options);
template hisparse<double> compact(emulated&, hisparse<double> const&, compact_options);

}  // namespace copse
