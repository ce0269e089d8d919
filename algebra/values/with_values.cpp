// New values on the CPU's executors.
#include <copse/algebra/values/with_values_run.hpp>
#include <copse/algebra/with_values.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse {

template <class T>
hisparse<T> with_values(cpu& executor, hisparse<T> const& a, std::type_identity_t<vector_view<T const>> values) {
    return detail::give_values<cpu, T>(executor, a, values, [&](auto const&... run_of) { run(executor, run_of...); });
}
template <class T>
hisparse<T> with_values(emulated& executor, hisparse<T> const& a, std::type_identity_t<vector_view<T const>> values) {
    return detail::give_values<emulated, T>(executor, a, values,
                                            [&](auto const&... run_of) { run(executor, run_of...); });
}

template hisparse<float> with_values(cpu&, hisparse<float> const&, vector_view<float const>);
template hisparse<double> with_values(cpu&, hisparse<double> const&, vector_view<double const>);
template hisparse<float> with_values(emulated&, hisparse<float> const&, vector_view<float const>);
template hisparse<double> with_values(emulated&, hisparse<double> const&, vector_view<double const>);

}  // namespace copse
