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

template <any_executor Executor, class... Types>
struct compiled_spmv {
    template <class T>
    static constexpr auto of() {  // the other products are named spmv, too
        using product = run_report (*)(Executor&, T, hisparse<T> const&, vector_view<T const>, T, vector_view<T>);
        return static_cast<product>(&spmv<T, Executor>);
    }
    static constexpr auto functions = std::make_tuple(of<Types>()...);
};

}  // namespace detail
}  // namespace copse
