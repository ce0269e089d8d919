// Definitions of spmv() and flat_plan for the gpu executor, under its persistent and host controllers. flat_spmv.cu
// includes it with what the formats bring, and instantiates them; flat_spmv_device.cu adds the device controller.
#pragma once

#include <copse/algebra/flat/flat_plan_run.hpp>
#include <copse/algebra/flat/flat_run.hpp>
#include <copse/algebra/replay_gpu.cuh>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <copse/runtime/gpu/state.cuh>
#include <copse/runtime/gpu_run.cuh>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

namespace copse {

template <flat_format Matrix>
run_report spmv(gpu& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y) {
    return detail::multiply_on(executor, alpha, a, x, beta, y,
                               [&](auto const&... of_run) { return run(executor, of_run...); });
}

template <flat_format Matrix>
void spmv_async(gpu& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y) {
    nvtx_range const range("copse spmv");
    detail::check_product(a, x, y, executor.memory()->space());
    detail::current_device const current(executor.state().device());
    // A kernel for each task, in the order of phases; the stream keeps them apart.
    detail::with_lanes(executor.temporary(), alpha, a, x, beta, y,
                       [&]<class... Tasks>(detail::task_range<Tasks> const&... ranges) {
                           (detail::launch_plain(ranges.task, ranges.count, executor.state().stream()), ...);
                           return run_report();
                       });
}

namespace detail {

template <class... Tasks>
struct plain_kernels {
    static void load() { (load_plain<Tasks>(), ...); }
};
template <class... Runs>
void load_all(std::type_identity<std::tuple<Runs...>>) {
    (Runs::load(), ...);
}

}  // namespace detail

template <flat_format Matrix>
flat_plan<Matrix>::flat_plan(gpu& executor, Matrix const& a)
    : flat_plan(detail::make_flat_plan(executor, a, [](auto const&) { return std::vector<std::int64_t>(); }), a) {
    detail::current_device const current(executor.state().device());
    using kernels = typename detail::lanes_product<Matrix>::template runs<detail::plain_kernels>;
    detail::load_all(std::type_identity<kernels>());
}

template <flat_format Matrix>
void spmv_async(gpu& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y) {
    nvtx_range const range("copse replay");
    spmv_async(executor, alpha, detail::direction_of(plan).matrix.scaled(plan.matrix().scale()), x, beta, y);
}

template <flat_format Matrix>
void spmv(gpu& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
          vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
          vector_view<typename Matrix::value_type> y) {
    spmv_async(executor, alpha, plan, x, beta, y);
    detail::current_device const current(executor.state().device());
    COPSE_CUDA_TRY(cudaStreamSynchronize(executor.state().stream()));
}

}  // namespace copse
