// Products of flat formats and plans for them, compiled for every format and executor: copse_add_operation() in this
// room's CMakeLists.txt, which includes each format's tasks.
#pragma once

#include <concepts>
#include <copse/algebra/flat/flat_cpu.hpp>
#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/formats/flat_formats.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/nvtx.hpp>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#if defined(__CUDACC__)
#include <copse/algebra/replay_gpu.cuh>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu/state.cuh>
#endif

namespace copse {
namespace detail {

/// Throws what a product throws before anything is started, and before its direction is made.
template <flat_format Matrix, class T>
void check_planned(flat_plan<Matrix> const& plan, vector_view<T const> x, vector_view<T> y, memory_space space) {
    content_of(plan);  // of a plan that was moved from: says so
    check_product(plan.matrix(), x, y, space);
}

// On a GPU's stream, without the scheduler: a kernel for each task. Without nvcc the declarations
// suffice: nothing calls them where can_run_on<gpu> is false.
#if defined(__CUDACC__)
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
/// Throws what a product throws before its direction is made, also where the stream is capturing.
template <flat_format Matrix, class T>
void check_before_start(gpu& executor, flat_plan<Matrix> const& plan, vector_view<T const> x, vector_view<T> y) {
    check_planned(plan, x, y, executor.memory()->space());
    bool const is_made = !plan.matrix().is_transposed() || content_of(plan)->turned.made();
    if (!is_made) refuse_captured_first_use(state_of(executor).stream());
}
#else
template <flat_format Matrix, class T>
void start_on_stream(gpu& executor, T alpha, Matrix const& a, vector_view<T const> x, T beta, vector_view<T> y);
template <flat_format Matrix>
void load_kernels(gpu& executor);
void wait_for_stream(gpu& executor);
template <flat_format Matrix, class T>
void check_before_start(gpu& executor, flat_plan<Matrix> const& plan, vector_view<T const> x, vector_view<T> y);
#endif

/// A^T, which a plan keeps beside A.
template <class Executor, flat_format Matrix>
Matrix turned_like(Executor& executor, Matrix const& a) {
    try {
        return like(executor, a, to_csr(Matrix(a.content()).transposed()));
    } catch (too_much_padding const& e) {
        throw too_much_padding(std::string("spmv_plan: of A^T, which a plan keeps beside A: ") + e.what(),
                               e.padding_bytes(), e.limit_bytes());
    }
}

/// The direction of `a` as it is stored. threads: the cpu's, among which it is cut; 0 for other executors, which do
/// not cut it.
template <flat_format Matrix>
flat_direction<Matrix> direction_in_parts(Matrix const& a, int threads) {
    return {a, threads > 0 ? parts_for<Matrix>(threads, *a.content()) : std::vector<std::int64_t>()};
}

template <class Executor, flat_format Matrix>
flat_direction<Matrix> const& turned_of(Executor& executor, flat_plan_content<Matrix> const& plan) {
    return plan.turned.get([&] {
        return std::make_unique<flat_direction<Matrix>>(
            direction_in_parts(turned_like(executor, plan.stored.matrix), plan.threads));
    });
}

}  // namespace detail

template <flat_format Matrix, any_executor Executor>
run_report spmv(Executor& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y) {
    if constexpr (!detail::can_run_on<Executor>)
        detail::refuse_without_cuda("spmv");
    else if constexpr (std::same_as<Executor, cpu>)
        return detail::multiply_on_cpu(executor, alpha, a, x, beta, y);
    else
        return detail::multiply_on(executor, alpha, a, x, beta, y,
                                   [&](auto const&... of_run) { return run(executor, of_run...); });
}

template <flat_format Matrix>
void spmv_async(gpu& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y) {
    if constexpr (!detail::can_run_on<gpu>) {
        detail::refuse_without_cuda("spmv");
    } else {
        nvtx_range const range(nvtx_room::algebra, "copse spmv", a.entry_count());
        detail::start_on_stream<Matrix, typename Matrix::value_type>(executor, alpha, a, x, beta, y);
    }
}

namespace detail {

template <flat_format Matrix, any_executor Executor>
std::shared_ptr<flat_plan_content<Matrix> const> make_flat_plan(Executor& executor, Matrix const& a,
                                                                [[maybe_unused]] plan_directions directions) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("spmv_plan");
    } else {
        nvtx_range const range(nvtx_room::algebra, "copse spmv plan", a.entry_count());
        check_space("spmv_plan", a.space(), "A", executor.memory()->space());
        int threads = 0;
        if constexpr (std::same_as<Executor, cpu>) threads = executor.threads();
        auto const plan =
            std::make_shared<flat_plan_content<Matrix>>(direction_in_parts(Matrix(a.content()), threads), threads);
        if (a.is_transposed() || directions == plan_directions::both) turned_of(executor, *plan);
        if constexpr (std::same_as<Executor, gpu>) load_kernels<Matrix>(executor);
        return plan;
    }
}

template <flat_format Matrix, any_executor Executor>
flat_direction<Matrix> const& flat_direction_of(Executor& executor, flat_plan<Matrix> const& plan) {
    if constexpr (!can_run_on<Executor>)
        refuse_without_cuda("spmv");
    else
        return plan.matrix().is_transposed() ? turned_of(executor, *content_of(plan)) : content_of(plan)->stored;
}

}  // namespace detail

template <flat_format Matrix, any_executor Executor>
void spmv(Executor& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
          vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
          vector_view<typename Matrix::value_type> y) {
    if constexpr (!detail::can_run_on<Executor>) {
        detail::refuse_without_cuda("spmv");
    } else if constexpr (std::same_as<Executor, gpu>) {
        spmv_async(executor, alpha, plan, x, beta, y);
        detail::wait_for_stream(executor);
    } else {
        detail::check_planned(plan, x, y, executor.memory()->space());
        auto const& direction = detail::flat_direction_of(executor, plan);
        Matrix const a = direction.matrix.scaled(plan.matrix().scale());
        if constexpr (std::same_as<Executor, cpu>)
            detail::multiply_on_cpu(executor, alpha, a, x, beta, y,
                                    direction.parts.empty() ? nullptr : &direction.parts);
        else
            spmv(executor, alpha, a, x, beta, y);
    }
}

template <flat_format Matrix>
void spmv_async(gpu& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y) {
    if constexpr (!detail::can_run_on<gpu>) {
        detail::refuse_without_cuda("spmv");
    } else {
        nvtx_range const range(nvtx_room::algebra, "copse replay", plan.matrix().entry_count());
        detail::check_before_start<Matrix, typename Matrix::value_type>(executor, plan, x, y);
        spmv_async(executor, alpha, detail::flat_direction_of(executor, plan).matrix.scaled(plan.matrix().scale()), x,
                   beta, y);
    }
}

namespace detail {

template <class Executor>
struct flat_functions {
    template <class Matrix, class T = typename Matrix::value_type>
    static constexpr auto of_one() {
        using one_shot = run_report (*)(Executor&, T, Matrix const&, vector_view<T const>, T, vector_view<T>);
        using by_plan = void (*)(Executor&, T, flat_plan<Matrix> const&, vector_view<T const>, T, vector_view<T>);
        auto const of_all = std::make_tuple(static_cast<one_shot>(&spmv<Matrix, Executor>),
                                            static_cast<by_plan>(&spmv<Matrix, Executor>),
                                            &make_flat_plan<Matrix, Executor>, &flat_direction_of<Matrix, Executor>);
        if constexpr (std::same_as<Executor, gpu>) {
            using async = void (*)(gpu&, T, Matrix const&, vector_view<T const>, T, vector_view<T>);
            return std::tuple_cat(of_all, std::make_tuple(static_cast<async>(&spmv_async<Matrix>),
                                                          static_cast<by_plan>(&spmv_async<Matrix>)));
        } else {
            return of_all;
        }
    }
    template <class... Matrix>
    struct of {
        static constexpr auto functions = std::make_tuple(of_one<Matrix>()...);
    };
};

template <any_executor Executor, class... Types>
struct compiled_flat_spmv {
    static constexpr auto functions =
        std::make_tuple(flat_matrices<Types, flat_functions<Executor>::template of>::functions...);
};

}  // namespace detail
}  // namespace copse
