// Conversion to CSR5 on the gpu executor.
#include <copse/formats/csr5/steps.hpp>
#include <copse/formats/flat/rows_steps.hpp>
#include <copse/formats/flat/sharing.hpp>
#include <copse/formats/steps/gpu_steps.cuh>
#include <copse/runtime/nvtx.hpp>

namespace copse {
namespace {

/// `rows`: in the executor's memory. As it is stored, without state.
template <class T>
csr5<T> convert(gpu& executor, csr_matrix<T> const& rows, csr5_options const& options) {
    nvtx_range const range("copse conversion to csr5");
    auto const& content = rows.content();
    auto const sizes = detail::csr5_options_for(executor, options, sizeof(T), content->entry_count, content->row_count);
    detail::gpu_steps primitives(executor);
    if (detail::is_sole(content))
        return csr5<T>(detail::make_csr5_by_steps(detail::taken(content), sizes, options, primitives));
    return csr5<T>(detail::make_csr5_by_steps(detail::copied(*content, primitives), sizes, options, primitives));
}

template <class T>
csr5<T> convert_with_state(gpu& executor, csr_matrix<T>&& a, csr5_options const& options) {
    csr_matrix<T> const rows = std::move(a);
    return detail::with_state_of(convert(executor, rows, options), rows.is_transposed(), rows.scale());
}

}  // namespace

template <class T>
csr5<T>::csr5(gpu& executor, csr<T> const& a, csr5_options options)
    : csr5(convert(executor, csr_matrix<T>(executor, a), options)) {}

template <class T>
csr5<T>::csr5(gpu& executor, csr_matrix<T>&& a, csr5_options options)
    : csr5(convert_with_state(executor, std::move(a), options)) {}

template csr5<float>::csr5(gpu&, csr<float> const&, csr5_options);
template csr5<double>::csr5(gpu&, csr<double> const&, csr5_options);
template csr5<float>::csr5(gpu&, csr_matrix<float>&&, csr5_options);
template csr5<double>::csr5(gpu&, csr_matrix<double>&&, csr5_options);

}  // namespace copse
