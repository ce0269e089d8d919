// Addition on the gpu executor, under its persistent and host controllers; add_device.cu adds the device controller.
#include <copse/algebra/add.hpp>
#include <copse/algebra/sums/add_run.hpp>
#include <copse/formats/prune.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>

namespace copse {

template <class T>
hisparse<T> add(gpu& executor, std::type_identity_t<T> alpha, hisparse<T> const& a, std::type_identity_t<T> beta,
                hisparse<T> const& b, add_options options) {
    hisparse<T> const c = detail::add_on<T>(executor, alpha, a, beta, b, options);
    return options.prune ? prune(executor, c) : c;
}

template hisparse<float> add<float>(gpu&, float, hisparse<float> const&, float, hisparse<float> const&, add_options);
template hisparse<double> add<double>(gpu&, double, hisparse<double> const&, double, hisparse<double> const&,
                                      add_options);

}  // namespace copse
