// Conversions to and from HiSparse on the emulated executor: as the gpu executor does them, its steps done by the host.
#include <copse/formats/flat/sharing.hpp>
#include <copse/formats/from_rows/conversion_run.hpp>
#include <copse/formats/steps/host_steps.hpp>
#include <copse/formats/to_rows/tree_rows_run.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse {
namespace {

/// Null where the host's conversion says what is wrong, or does it.
template <class T, class Matrix>
std::shared_ptr<hisparse_content const> convert(emulated& executor, Matrix const& a, hisparse_options options) {
    detail::host_steps steps;
    return detail::tree_maker<T, emulated, detail::host_steps>(executor, steps, options).make(a);
}

}  // namespace

template <class T>
hisparse<T>::hisparse(emulated& executor, csr<T> const& a, hisparse_options options)
    : content_(convert<T>(executor, a, options)) {
    if (!content_) *this = hisparse(executor.memory(), a, options);
}

template <class T>
hisparse<T>::hisparse(emulated& executor, coo<T> const& a, hisparse_options options)
    : content_(convert<T>(executor, a, options)) {
    if (!content_) *this = hisparse(executor.memory(), a, options);
}

template <class T>
hisparse<T>::hisparse(emulated& executor, csr_matrix<T> const& a, hisparse_options options)
    : content_(convert<T>(executor, *a.content(), options)), transposed_(a.is_transposed()), scale_(a.scale()) {
    if (!content_) *this = hisparse(executor.memory(), a, options);
}

template <class T>
csr_matrix<T> to_csr_matrix(emulated& executor, hisparse<T> const& a) {
    auto const rows = detail::rows_on<T>(executor, detail::host_steps(), *a.content());
    csr_matrix<T> const stored = rows ? csr_matrix<T>(rows) : csr_matrix<T>(executor, to_csr(hisparse<T>(a.content())));
    return detail::with_state_of(stored, a.is_transposed(), a.scale());
}

template csr_matrix<float> to_csr_matrix(emulated&, hisparse<float> const&);
template csr_matrix<double> to_csr_matrix(emulated&, hisparse<double> const&);
template hisparse<float>::hisparse(emulated&, csr_matrix<float> const&, hisparse_options);
template hisparse<double>::hisparse(emulated&, csr_matrix<double> const&, hisparse_options);
template hisparse<float>::hisparse(emulated&, csr<float> const&, hisparse_options);
template hisparse<float>::hisparse(emulated&, coo<float> const&, hisparse_options);
template hisparse<double>::hisparse(emulated&, csr<double> const&, hisparse_options);
template hisparse<double>::hisparse(emulated&, coo<double> const&, hisparse_options);

}  // namespace copse
