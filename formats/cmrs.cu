// Conversion to CMRS on the gpu executor.
#include <copse/formats/cmrs.hpp>
#include <copse/formats/cmrs_steps.hpp>
#include <copse/formats/flat_sharing.hpp>
#include <copse/formats/gpu_steps.cuh>
#include <copse/formats/rows_steps.hpp>
#include <copse/runtime/nvtx.hpp>

namespace copse {
namespace {

/// `rows`: in the executor's memory. As it is stored, without state.
template <class T>
cmrs<T> convert(gpu& executor, csr_matrix<T> const& rows, cmrs_options const& options) {
    nvtx_range const range("copse conversion to cmrs");
    auto const& content = rows.content();
    detail::gpu_steps primitives(executor);
    if (options.per_row > 0) return cmrs<T>(detail::make_padded_cmrs_by_steps(*content, options, primitives));
    if (detail::is_sole(content))
        return cmrs<T>(detail::make_cmrs_by_steps(detail::taken(content), options, primitives));
    return cmrs<T>(detail::make_cmrs_by_steps(detail::copied(*content, primitives), options, primitives));
}

template <class T>
cmrs<T> convert_with_state(gpu& executor, csr_matrix<T>&& a, cmrs_options const& options) {
    csr_matrix<T> const rows = std::move(a);
    return detail::with_state_of(convert(executor, rows, options), rows.is_transposed(), rows.scale());
}

}  // namespace

template <class T>
cmrs<T>::cmrs(gpu& executor, csr<T> const& a, cmrs_options const& options)
    : cmrs(convert(executor, csr_matrix<T>(executor, a), detail::with_defaults<T>(options, true))) {}

template <class T>
cmrs<T>::cmrs(gpu& executor, csr_matrix<T>&& a, cmrs_options const& options)
    : cmrs(convert_with_state(executor, std::move(a), detail::with_defaults<T>(options, true))) {}

template cmrs<float>::cmrs(gpu&, csr<float> const&, cmrs_options const&);
template cmrs<double>::cmrs(gpu&, csr<double> const&, cmrs_options const&);
template cmrs<float>::cmrs(gpu&, csr_matrix<float>&&, cmrs_options const&);
template cmrs<double>::cmrs(gpu&, csr_matrix<double>&&, cmrs_options const&);

}  // namespace copse
