// The device controller for products of flat formats: compiled with -rdc=true into copse::device, found by run() in
// flat_spmv.cu.
#include <copse/algebra/flat/cmrs_tasks.hpp>
#include <copse/algebra/flat/csr5_tasks.hpp>
#include <copse/algebra/flat/csr_tasks.hpp>
#include <copse/algebra/flat/sellp_tasks.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_algebra_flat_flat_spmv_device = 0;
}

namespace {

template <template <class> class Format>
struct registered {
    template <class T>
    using controllers =
        typename copse::detail::lanes_product<Format<T>>::template runs<copse::register_device_controller>;
    controllers<float> const for_float;
    controllers<double> const for_double;
};

registered<copse::csr_matrix> const for_csr_matrix;
registered<copse::csr5> const for_csr5;
registered<copse::sellp> const for_sellp;
registered<copse::cmrs> const for_cmrs;

}  // namespace
