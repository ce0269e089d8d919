// The products on the gpu executor, under its persistent and host controllers; spmv_device.cu adds the device controller.
#include <copse/algebra/products/spmv_run.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>
#include <copse/runtime/nvtx.hpp>

namespace copse {

template <class T>
run_report spmv(gpu& executor, std::type_identity_t<T> alpha, hisparse<T> const& a,
                std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
                std::type_identity_t<vector_view<T>> y) {
    nvtx_range const range("copse spmv");
    detail::check_product(a, x, y, executor.memory()->space());
    return detail::with_spmv_run<T>(alpha, a, x, beta, y,
                                    [&](auto const& options, auto const& seeds, auto const&... tasks) {
                                        return run(executor, options, seeds, tasks...);
                                    });
}

template run_report spmv<float>(gpu&, float, hisparse<float> const&, vector_view<float const>, float,
                                vector_view<float>);
template run_report spmv<double>(gpu&, double, hisparse<double> const&, vector_view<double const>, double,
                                 vector_view<double>);

}  // namespace copse
