// Flat formats on the gpu executor in a library that was built without a CUDA toolkit: no gpu object exists to call
// them with.
#include <copse/algebra/flat/flat_instances.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>

namespace copse {
namespace {

[[noreturn]] void refuse() {
    throw cuda_error("spmv: copse was built without a CUDA toolkit");
}

}  // namespace

template <flat_format Matrix>
run_report spmv(gpu&, typename Matrix::value_type, Matrix const&, vector_view<typename Matrix::value_type const>,
                typename Matrix::value_type, vector_view<typename Matrix::value_type>) {
    refuse();
}
template <flat_format Matrix>
void spmv_async(gpu&, typename Matrix::value_type, Matrix const&, vector_view<typename Matrix::value_type const>,
                typename Matrix::value_type, vector_view<typename Matrix::value_type>) {
    refuse();
}
template <flat_format Matrix>
flat_plan<Matrix>::flat_plan(gpu&, Matrix const& a) : matrix_(a) {
    refuse();
}
template <flat_format Matrix>
void spmv(gpu&, typename Matrix::value_type, flat_plan<Matrix> const&, vector_view<typename Matrix::value_type const>,
          typename Matrix::value_type, vector_view<typename Matrix::value_type>) {
    refuse();
}

template <flat_format Matrix>
void spmv_async(gpu&, typename Matrix::value_type, flat_plan<Matrix> const&,
                vector_view<typename Matrix::value_type const>, typename Matrix::value_type,
                vector_view<typename Matrix::value_type>) {
    refuse();
}

COPSE_FLAT_GPU_FORMATS();

}  // namespace copse
