// New values on the gpu executor.
#include <copse/algebra/values/with_values_run.hpp>
#include <copse/algebra/with_values.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>

namespace copse {

template <class T>
hisparse<T> with_values(gpu& executor, hisparse<T> const& a, std::type_identity_t<vector_view<T const>> values) {
    return detail::give_values<gpu, T>(executor, a, values, [&](auto const&... run_of) { run(executor, run_of...); });
}

template hisparse<float> with_values(gpu&, hisparse<float> const&, vector_view<float const>);
template hisparse<double> with_values(gpu&, hisparse<double> const&, vector_view<double const>);

}  // namespace copse
