#include <copse/formats/host_steps.hpp>
#include <copse/formats/prune.hpp>
#include <copse/formats/prune_run.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse {

template <class T>
hisparse<T> prune(cpu& executor, hisparse<T> const& a) {
    nvtx_range const range("copse prune");
    return detail::prune_list(executor, a);
}

template <class T>
hisparse<T> prune(emulated& executor, hisparse<T> const& a) {
    detail::host_steps steps;
    return detail::prune_rows(executor, steps, a);
}

template hisparse<float> prune(cpu&, hisparse<float> const&);
template hisparse<double> prune(cpu&, hisparse<double> const&);
template hisparse<float> prune(emulated&, hisparse<float> const&);
template hisparse<double> prune(emulated&, hisparse<double> const&);

}  // namespace copse
