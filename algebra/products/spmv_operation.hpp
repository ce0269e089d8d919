// Products, compiled for every executor: copse_add_operation() in this room's CMakeLists.txt.
#pragma once

#include <copse/algebra/products/spmv_run.hpp>
#include <copse/algebra/spmv.hpp>
#include <tuple>

namespace copse {

template <class T, any_executor Executor>
run_report spmv(Executor& executor, std::type_identity_t<T> alpha, hisparse<T> const& a,
                std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
                std::type_identity_t<vector_view<T>> y) {
    if constexpr (!detail::can_run_on<Executor>) {
        detail::refuse_without_cuda("spmv");
    } else {
        return detail::multiply_tree_on<T>(executor, alpha, a, x, beta, y,
                                           [&](auto const&... of_run) { return run(executor, of_run...); });
    }
}

namespace detail {

template <any_executor Executor>
struct compiled_spmv {
    static constexpr auto functions = std::make_tuple(&spmv<float, Executor>, &spmv<double, Executor>);
};

}  // namespace detail
}  // namespace copse
