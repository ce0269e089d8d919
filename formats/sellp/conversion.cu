// Conversion to SELL-P on the gpu executor.
#include <copse/formats/flat/sharing.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/formats/sellp/steps.hpp>
#include <copse/formats/steps/gpu_steps.cuh>
#include <copse/runtime/error.hpp>
#include <copse/runtime/nvtx.hpp>
#include <utility>

namespace copse {
namespace {

/// `rows`: in the executor's memory. As it is stored, without state.
template <class T>
sellp<T> convert(gpu& executor, csr_matrix<T> const& rows, sellp_options const& options) {
    nvtx_range const range("copse conversion to sellp");
    if (rows.space() != executor.memory()->space())
        throw argument_error("sellp: the matrix is in host memory; to_csr() gives what this converts from there");
    detail::check_options(options);
    auto content = std::make_shared<sellp_content<T>>();
    static_cast<flat_content&>(*content) = *rows.content();
    content->where = executor.memory();  // the rows may be in temporary memory
    content->options = options;
    detail::gpu_steps primitives(executor);
    detail::make_sellp_by_steps(*rows.content(), *content, primitives);
    return sellp<T>(std::move(content));
}

}  // namespace

template <class T>
sellp<T>::sellp(gpu& executor, csr<T> const& a, sellp_options const& options)
    : sellp(convert(executor, csr_matrix<T>(executor.temporary(), a), detail::with_defaults<T>(options, true))) {}

template <class T>
sellp<T>::sellp(gpu& executor, csr_matrix<T> const& a, sellp_options const& options)
    : sellp(detail::with_state_of(convert(executor, a, detail::with_defaults<T>(options, true)), a.is_transposed(),
                                  a.scale())) {}

template sellp<float>::sellp(gpu&, csr<float> const&, sellp_options const&);
template sellp<double>::sellp(gpu&, csr<double> const&, sellp_options const&);
template sellp<float>::sellp(gpu&, csr_matrix<float> const&, sellp_options const&);
template sellp<double>::sellp(gpu&, csr_matrix<double> const&, sellp_options const&);

}  // namespace copse
