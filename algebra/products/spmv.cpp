// The products on the CPU's executors.
#include <copse/algebra/products/spmv_run.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/nvtx.hpp>

namespace copse {
namespace {

template <class T, class Executor>
run_report spmv_on(Executor& executor, T alpha, hisparse<T> const& a, vector_view<T const> x, T beta,
                   vector_view<T> y) {
    nvtx_range const range("copse spmv");
    detail::check_product(a, x, y, executor.memory()->space());
    return detail::with_spmv_run(alpha, a, x, beta, y,
                                 [&](auto const& options, auto const& seeds, auto const&... tasks) {
                                     return run(executor, options, seeds, tasks...);
                                 });
}

}  // namespace

template <class T>
run_report spmv(cpu& executor, std::type_identity_t<T> alpha, hisparse<T> const& a,
                std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
                std::type_identity_t<vector_view<T>> y) {
    return spmv_on<T>(executor, alpha, a, x, beta, y);
}

template <class T>
run_report spmv(emulated& executor, std::type_identity_t<T> alpha, hisparse<T> const& a,
                std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
                std::type_identity_t<vector_view<T>> y) {
    return spmv_on<T>(executor, alpha, a, x, beta, y);
}

template run_report spmv<float>(cpu&, float, hisparse<float> const&, vector_view<float const>, float,
                                vector_view<float>);
template run_report spmv<double>(cpu&, double, hisparse<double> const&, vector_view<double const>, double,
                                 vector_view<double>);
template run_report spmv<float>(emulated&, float, hisparse<float> const&, vector_view<float const>, float,
                                vector_view<float>);
template run_report spmv<double>(emulated&, double, hisparse<double> const&, vector_view<double const>, double,
                                 vector_view<double>);

}  // namespace copse
