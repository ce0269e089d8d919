// Conversion to SELL-P on the gpu executor.
#include <copse/formats/gpu_steps.cuh>
#include <copse/formats/sellp.hpp>
#include <copse/formats/sellp_steps.hpp>
#include <copse/runtime/nvtx.hpp>

namespace copse {
namespace {

template <class T>
std::shared_ptr<sellp_content<T> const> convert(gpu& executor, csr<T> const& a, sellp_options const& options) {
    nvtx_range const range("copse conversion to sellp");
    csr_matrix<T> const rows(executor, a);
    detail::check_options(options);
    auto content = std::make_shared<sellp_content<T>>();
    static_cast<flat_content&>(*content) = *rows.content();
    content->options = options;
    detail::gpu_steps primitives(executor);
    detail::make_sellp_by_steps(*rows.content(), *content, primitives);
    return content;
}

}  // namespace

template <class T>
sellp<T>::sellp(gpu& executor, csr<T> const& a, sellp_options const& options)
    : sellp(convert(executor, a, detail::with_defaults<T>(options, true))) {}

template sellp<float>::sellp(gpu&, csr<float> const&, sellp_options const&);
template sellp<double>::sellp(gpu&, csr<double> const&, sellp_options const&);

}  // namespace copse
