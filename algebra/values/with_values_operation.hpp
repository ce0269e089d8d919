// New values, compiled for every executor: copse_add_operation() in this room's CMakeLists.txt.
#pragma once

#include <copse/algebra/values/with_values_run.hpp>
#include <copse/algebra/with_values.hpp>
#include <tuple>

namespace copse {

template <class T, any_executor Executor>
hisparse<T> with_values(Executor& executor, hisparse<T> const& a, std::type_identity_t<vector_view<T const>> values) {
    if constexpr (!detail::can_run_on<Executor>)
        detail::refuse_without_cuda("with_values");
    else
        return detail::give_values<Executor, T>(executor, a, values,
                                                [&](auto const&... run_of) { run(executor, run_of...); });
}

namespace detail {

template <any_executor Executor>
struct compiled_with_values {
    static constexpr auto functions = std::make_tuple(&with_values<float, Executor>, &with_values<double, Executor>);
};
template <template <class...> class List>
using with_values_runs = std::tuple<List<copy_nodes>, List<set_values<float>>, List<set_values<double>>>;

}  // namespace detail
}  // namespace copse
