// Conversion to CMRS on the gpu executor.
#include <copse/formats/cmrs.hpp>
#include <copse/formats/cmrs/steps.hpp>
#include <copse/formats/flat/sharing.hpp>
#include <copse/formats/steps/gpu_steps.cuh>
#include <copse/runtime/nvtx.hpp>

namespace copse {
namespace {

/// As it is stored, without state.
template <class T, class Rows>
cmrs<T> convert(gpu& executor, Rows const& rows, cmrs_options const& options) {
    nvtx_range const range("copse conversion to cmrs");
    detail::gpu_steps primitives(executor);
    return cmrs<T>(detail::strips_on(executor, rows, options, primitives));
}

template <class T>
cmrs<T> convert_with_state(gpu& executor, csr_matrix<T>&& a, cmrs_options const& options) {
    csr_matrix<T> const rows = std::move(a);
    return detail::with_state_of(convert<T>(executor, rows, options), rows.is_transposed(), rows.scale());
}

}  // namespace

template <class T>
cmrs<T>::cmrs(gpu& executor, csr<T> const& a, cmrs_options const& options)
    : cmrs(convert<T>(executor, a, detail::with_defaults<T>(options, true))) {}

template <class T>
cmrs<T>::cmrs(gpu& executor, csr_matrix<T>&& a, cmrs_options const& options)
    : cmrs(convert_with_state(executor, std::move(a), detail::with_defaults<T>(options, true))) {}

template cmrs<float>::cmrs(gpu&, csr<float> const&, cmrs_options const&);
template cmrs<double>::cmrs(gpu&, csr<double> const&, cmrs_options const&);
template cmrs<float>::cmrs(gpu&, csr_matrix<float>&&, cmrs_options const&);
template cmrs<double>::cmrs(gpu&, csr_matrix<double>&&, cmrs_options const&);

}  // namespace copse
