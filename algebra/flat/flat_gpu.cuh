// Products of flat formats on a GPU's stream, without the scheduler: a kernel for each task.
#pragma once

#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/products/product_factor.hpp>
#include <copse/algebra/replay_gpu.cuh>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu/state.cuh>
#include <tuple>
#include <type_traits>

namespace copse::detail {

template <flat_format Matrix, class T>
void start_on_stream(gpu& executor, T alpha, Matrix const& a, vector_view<T const> x, T beta, vector_view<T> y) {
    check_product(a, x, y, executor.memory()->space());
    current_device const current(state_of(executor).device());
    // In the order of phases; the stream keeps them apart.
    with_lanes(executor.temporary(), alpha, a, x, beta, y, [&]<class... Tasks>(task_range<Tasks> const&... ranges) {
        (launch_plain(ranges.task, ranges.count, state_of(executor).stream()), ...);
        return run_report();
    });
}

template <class... Tasks>
struct plain_kernels {
    static void load() { (load_plain<Tasks>(), ...); }
};
template <class... Runs>
void load_all(std::type_identity<std::tuple<Runs...>>) {
    (Runs::load(), ...);
}
/// Those of the format's products.
template <flat_format Matrix>
void load_kernels(gpu& executor) {
    current_device const current(state_of(executor).device());
    load_all(std::type_identity<typename lanes_product<Matrix>::template runs<plain_kernels>>());
    load_plain<scale_sums<typename Matrix::value_type>>();
}

}  // namespace copse::detail
