// Addition, compiled for every executor: copse_add_operation() in this room's CMakeLists.txt.
#pragma once

#include <copse/algebra/add.hpp>
#include <copse/algebra/sums/add_run.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <tuple>

namespace copse {

template <class T, any_executor Executor>
hisparse<T> add(Executor& executor, std::type_identity_t<T> alpha, hisparse<T> const& a, std::type_identity_t<T> beta,
                hisparse<T> const& b, add_options options) {
    return detail::add_as_chosen<T>(executor, alpha, a, beta, b, options, {});
}

namespace detail {

template <class T, any_executor Executor>
hisparse<T> add_as_chosen(Executor& executor, T alpha, hisparse<T> const& a, T beta, hisparse<T> const& b,
                          add_options options, sum_choices const& choices) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("add");
    } else {
        hisparse<T> const c = add_on<T>(executor, alpha, a, beta, b, options, choices);
        return options.prune ? prune(executor, c) : c;
    }
}

template <any_executor Executor, class... Types>
struct compiled_add {
    static constexpr auto functions = std::make_tuple(&add<Types, Executor>..., &add_as_chosen<Types, Executor>...);
};
template <template <class...> class List>
using add_runs =
    std::tuple<add_by_blocks::tasks<float, List>, add_by_blocks::tasks<double, List>, gather_tasks<float, List>,
               gather_tasks<double, List>, move_tasks<float, List>, move_tasks<double, List>, List<count_nodes>,
               List<find_overflow<float>>, List<find_overflow<double>>, List<refer_to_twins>>;

}  // namespace detail
}  // namespace copse
