// Products with a plan on the executor's stream.
#pragma once

#include <copse/algebra/replay_gpu.cuh>
#include <copse/runtime/gpu/state.cuh>
#include <copse/runtime/gpu_run.cuh>
#include <copse/runtime/nvtx.hpp>
#include <type_traits>

namespace copse::detail {

template <class T, class V>
void start_replay(gpu& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta, vector_view<V> y) {
    nvtx_range const range("copse replay");
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
    if (choices.row_conflicts == conflicts::in_turns)
        replay_as_chosen<conflicts::in_turns, T, T>(stream, alpha, plan, x, beta, y, no_epilogue(), nullptr, choices);
    else
        replay_as_chosen<conflicts::joined, T, T>(stream, alpha, plan, x, beta, y, no_epilogue(), nullptr, choices);
}

}  // namespace copse::detail
