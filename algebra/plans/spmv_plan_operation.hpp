// Plans and their products, compiled for every executor: copse_add_operation() in this room's CMakeLists.txt. What they
// do on the cpu alone is in cpu_plan.cpp.
#pragma once

#include <concepts>
#include <copse/algebra/plans/both_products.hpp>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/replay_on_emulated.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <tuple>
#include <type_traits>
#if defined(__CUDACC__)
#include <copse/algebra/replay_gpu.cuh>
#include <copse/runtime/gpu/state.cuh>
#include <copse/runtime/gpu_run.cuh>
#endif

namespace copse {
namespace detail {

// On the executor's stream. Without nvcc the declarations suffice: nothing calls them where can_run_on<gpu> is
// false.
#if defined(__CUDACC__)
template <class T, class V>
void start_replay(gpu& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta, vector_view<V> y) {
    nvtx_range const range(nvtx_room::algebra, "copse replay", plan.matrix().entry_count());
    current_device const current(state_of(executor).device());
    replay_on_stream<T, V>(state_of(executor).stream(), alpha, plan, x, beta, y);
}

template <class T>
void load_replays(gpu& executor) {
    current_device const current(state_of(executor).device());
    load_replay<T, T>();
    if constexpr (std::is_same_v<T, float>) load_replay<float, double>();
}

template <class T>
void start_replay_as_chosen(gpu& executor, T alpha, spmv_plan<T> const& plan, vector_view<T const> x, T beta,
                            vector_view<T> y, replay_choices const& choices) {
    current_device const current(state_of(executor).device());
    cudaStream_t const stream = state_of(executor).stream();
    replay_as_chosen<T, T>(stream, alpha, plan, x, beta, y, no_epilogue(), nullptr, choices);
}

template <class T, class V>
void start_both(gpu& executor, spmv_plan<T> const& plan, both_products<V> const& what, replay_choices const& choices) {
    nvtx_range const range(nvtx_room::algebra, "copse replay both", 2 * plan.matrix().entry_count());
    current_device const current(state_of(executor).device());
    replay_both_as_chosen<T, V>(state_of(executor).stream(), plan, what, no_epilogue(), no_epilogue(), nullptr, nullptr,
                                choices);
}
#else
template <class T, class V>
void start_replay(gpu& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta, vector_view<V> y);
template <class T>
void start_replay_as_chosen(gpu& executor, T alpha, spmv_plan<T> const& plan, vector_view<T const> x, T beta,
                            vector_view<T> y, replay_choices const& choices);
template <class T, class V>
void start_both(gpu& executor, spmv_plan<T> const& plan, both_products<V> const& what, replay_choices const& choices);
template <class T>
void load_replays(gpu& executor);
void wait_for_stream(gpu& executor);
#endif

template <class T, any_executor Executor>
std::shared_ptr<plan_content<T> const> record_plan(Executor& executor, hisparse<T> const& a,
                                                   [[maybe_unused]] plan_directions directions,
                                                   [[maybe_unused]] plan_shape const* wanted) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("spmv_plan");
    } else {
        plan_shape shape = replay_shape;
        if constexpr (std::same_as<Executor, cpu>) shape = cpu_shape(a, executor.threads());
        if (wanted) shape = *wanted;
        auto content = plan_on(executor, a, directions, shape);
        if constexpr (std::same_as<Executor, gpu>) load_replays<T>(executor);
        return content;
    }
}

template <class T, class V, any_executor Executor>
void replay_and_wait(Executor& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                     vector_view<V> y) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("spmv");
    } else if constexpr (std::same_as<Executor, cpu>) {
        replay_on_cpu<T, V>(executor, alpha, plan, x, beta, y, {});
    } else if constexpr (std::same_as<Executor, emulated>) {
        replay_on_emulated<T, V>(executor, alpha, plan, x, beta, y, no_epilogue());
    } else {
        start_replay<T, V>(executor, alpha, plan, x, beta, y);
        wait_for_stream(executor);
    }
}

template <class T, class V, any_executor Executor>
void replay_both_and_wait(Executor& executor, spmv_plan<T> const& plan, both_products<V> const& what) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("spmv_both");
    } else if constexpr (std::same_as<Executor, cpu>) {
        replay_both_on_cpu<T, V>(executor, plan, what);
    } else if constexpr (std::same_as<Executor, emulated>) {
        multiply_both_with<T, V>(executor, plan, what, no_epilogue(), no_epilogue());
    } else {
        start_both<T, V>(executor, plan, what, {});
        wait_for_stream(executor);
    }
}

template <class T, class V>
void replay_without_waiting(gpu& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                            vector_view<V> y) {
    if constexpr (!can_run_on<gpu>)
        refuse_without_cuda("spmv");
    else
        start_replay<T, V>(executor, alpha, plan, x, beta, y);
}

template <class T>
void replay_on_gpu(gpu& executor, T alpha, spmv_plan<T> const& plan, vector_view<T const> x, T beta, vector_view<T> y,
                   replay_choices const& choices) {
    if constexpr (!can_run_on<gpu>)
        refuse_without_cuda("spmv");
    else
        start_replay_as_chosen<T>(executor, alpha, plan, x, beta, y, choices);
}

template <class T, class V>
void replay_both_on_gpu(gpu& executor, spmv_plan<T> const& plan, both_products<V> const& what,
                        replay_choices const& choices) {
    if constexpr (!can_run_on<gpu>)
        refuse_without_cuda("spmv_both");
    else
        start_both<T, V>(executor, plan, what, choices);
}

template <any_executor Executor, class... Types>
struct compiled_spmv_plan {
    template <class T, class V>
    static constexpr auto products() {
        if constexpr (std::same_as<Executor, gpu>)
            return std::make_tuple(&replay_and_wait<T, V, gpu>, &replay_both_and_wait<T, V, gpu>,
                                   &replay_without_waiting<T, V>, &replay_on_gpu<T>, &replay_both_on_gpu<T, V>);
        else
            return std::make_tuple(&replay_and_wait<T, V, Executor>, &replay_both_and_wait<T, V, Executor>);
    }
    template <class T>
    static constexpr auto of() {  // values of float multiply vectors of double, too
        return std::make_tuple(&record_plan<T, Executor>, products<T, T>(), products<T, double>());
    }
    static constexpr auto functions = std::make_tuple(of<Types>()...);
};

}  // namespace detail
}  // namespace copse
