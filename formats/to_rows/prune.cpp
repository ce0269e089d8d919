#include <copse/formats/prune.hpp>
#include <copse/formats/steps/host_steps.hpp>
#include <copse/formats/to_rows/prune_run.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse {

template <class T>
hisparse<T> prune(cpu& executor, hisparse<T> const& a, prune_options options) {
    nvtx_range const range("copse prune");
    return detail::prune_list(executor, a, options);
}

template <class T>
hisparse<T> prune(emulated& executor, hisparse<T> const& a, prune_options options) {
    detail::host_steps steps;
    return detail::prune_rows(executor, steps, a, options);
}

template hisparse<float> prune(cpu&, hisparse<float> const&, prune_options);
template hisparse<double> prune(cpu&, hisparse<double> const&, prune_options);
template hisparse<float> prune(emulated&, hisparse<float> const&, prune_options);
template hisparse<double> prune(emulated&, hisparse<double> const&, prune_options);

}  // namespace copse
