// Conversion to CSR5 on the gpu executor.
#include <copse/formats/csr5_steps.hpp>
#include <copse/formats/gpu_steps.cuh>
#include <copse/runtime/nvtx.hpp>

namespace copse {
namespace {

template <class T>
std::shared_ptr<csr5_content<T> const> convert(gpu& executor, csr<T> const& a, csr5_options const& options) {
    nvtx_range const range("copse conversion to csr5");
    check(a);
    detail::gpu_steps primitives(executor);
    auto content = std::make_shared<csr5_content<T>>();
    static_cast<flat_content&>(*content) = {a.row_count, a.column_count, a.entry_count(), executor.memory()};
    content->layout = detail::make_csr5_layout(options.omega, options.sigma);
    content->row_offsets = {executor, a.row_offsets};
    detail::make_tiles_by_steps(*content, primitives);
    content->column_indices =
        detail::in_tiles_by_steps(content->layout, buffer<std::int32_t>(executor, a.column_indices), primitives);
    content->values = detail::in_tiles_by_steps(content->layout, buffer<T>(executor, a.values), primitives);
    return content;
}

}  // namespace

template <class T>
csr5<T>::csr5(gpu& executor, csr<T> const& a, csr5_options options)
    : csr5(convert(executor, a, detail::csr5_options_for(executor, options, sizeof(T), a.entry_count(), a.row_count))) {
}

template csr5<float>::csr5(gpu&, csr<float> const&, csr5_options);
template csr5<double>::csr5(gpu&, csr<double> const&, csr5_options);

}  // namespace copse
