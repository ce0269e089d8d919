// Conversions from CSR5, SELL-P and CMRS back to compressed rows on the gpu executor.
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/flat/rows_steps.hpp>
#include <copse/formats/flat/sharing.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/formats/steps/gpu_steps.cuh>
#include <copse/runtime/error.hpp>
#include <copse/runtime/nvtx.hpp>
#include <utility>

namespace copse {
namespace {

template <class Matrix>
void check_place(gpu const& executor, Matrix const& a) {
    if (a.space() != executor.memory()->space())
        throw argument_error(
            "to_csr_matrix: the matrix is in host memory; to_csr() is for it, or make it with the gpu executor");
}

template <class Matrix>
csr_matrix<typename Matrix::value_type> convert(gpu& executor, Matrix const& a) {
    using T = typename Matrix::value_type;
    nvtx_range const range("copse conversion to compressed rows");
    check_place(executor, a);
    detail::gpu_steps primitives(executor);
    return detail::with_state_of(csr_matrix<T>(detail::rows_by_steps<T>(*a.content(), primitives)), a.is_transposed(),
                                 a.scale());
}

/// With the arrays of `a`, which nobody else shares.
template <class Matrix>
csr_matrix<typename Matrix::value_type> convert_in_place(gpu& executor, Matrix const& a) {
    using T = typename Matrix::value_type;
    nvtx_range const range("copse conversion to compressed rows");
    check_place(executor, a);
    detail::gpu_steps primitives(executor);
    return detail::with_state_of(csr_matrix<T>(detail::rows_in_place_by_steps(detail::taken(a.content()), primitives)),
                                 a.is_transposed(), a.scale());
}

}  // namespace

template <class T>
csr_matrix<T> to_csr_matrix(gpu& executor, csr5<T> const& a) {
    return convert(executor, a);
}
template <class T>
csr_matrix<T> to_csr_matrix(gpu& executor, csr5<T>&& a) {
    csr5<T> const tiles = std::move(a);
    return detail::is_sole(tiles.content()) ? convert_in_place(executor, tiles) : convert(executor, tiles);
}
template <class T>
csr_matrix<T> to_csr_matrix(gpu& executor, sellp<T> const& a) {
    return convert(executor, a);
}
template <class T>
csr_matrix<T> to_csr_matrix(gpu& executor, cmrs<T> const& a) {
    return convert(executor, a);
}
template <class T>
csr_matrix<T> to_csr_matrix(gpu& executor, cmrs<T>&& a) {
    cmrs<T> const strips = std::move(a);
    auto const& content = strips.content();
    return detail::is_sole(content) && content->is_by_row() ? convert_in_place(executor, strips)
                                                            : convert(executor, strips);
}

template csr_matrix<float> to_csr_matrix(gpu&, csr5<float> const&);
template csr_matrix<double> to_csr_matrix(gpu&, csr5<double> const&);
template csr_matrix<float> to_csr_matrix(gpu&, csr5<float>&&);
template csr_matrix<double> to_csr_matrix(gpu&, csr5<double>&&);
template csr_matrix<float> to_csr_matrix(gpu&, sellp<float> const&);
template csr_matrix<double> to_csr_matrix(gpu&, sellp<double> const&);
template csr_matrix<float> to_csr_matrix(gpu&, cmrs<float> const&);
template csr_matrix<double> to_csr_matrix(gpu&, cmrs<double> const&);
template csr_matrix<float> to_csr_matrix(gpu&, cmrs<float>&&);
template csr_matrix<double> to_csr_matrix(gpu&, cmrs<double>&&);

}  // namespace copse
