// Addition on the CPU's executors.
#include <copse/algebra/add.hpp>
#include <copse/algebra/sums/add_run.hpp>
#include <copse/formats/prune.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse {
template <class T>
hisparse<T> add(cpu& executor, std::type_identity_t<T> alpha, hisparse<T> const& a, std::type_identity_t<T> beta,
                hisparse<T> const& b, add_options options) {
    hisparse<T> const c = detail::add_on<T>(executor, alpha, a, beta, b, options);
    return options.prune ? prune(executor, c) : c;
}

template <class T>
hisparse<T> add(emulated& executor, std::type_identity_t<T> alpha, hisparse<T> const& a, std::type_identity_t<T> beta,
                hisparse<T> const& b, add_options options) {
    hisparse<T> const c = detail::add_on<T>(executor, alpha, a, beta, b, options);
    return options.prune ? prune(executor, c) : c;
}

template hisparse<float> add<float>(cpu&, float, hisparse<float> const&, float, hisparse<float> const&, add_options);
template hisparse<double> add<double>(cpu&, double, hisparse<double> const&, double, hisparse<double> const&,
                                      add_options);
template hisparse<float> add<float>(emulated&, float, hisparse<float> const&, float, hisparse<float> const&,
                                    add_options);
template hisparse<double> add<double>(emulated&, double, hisparse<double> const&, double, hisparse<double> const&,
                                      add_options);

}  // namespace copse
