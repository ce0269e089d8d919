// Plans on the gpu executor.
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/replay_gpu.cuh>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>
#include <copse/runtime/nvtx.hpp>
#include <type_traits>

namespace copse {
namespace {

template <class T, class V>
void start_replay(gpu& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta, vector_view<V> y) {
    nvtx_range const range("copse replay");
    detail::current_device const current(executor.state().device());
    replay_on_stream<T, V>(executor.state().stream(), alpha, plan, x, beta, y);
}

template <class T, class V>
void replay_and_wait(gpu& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                     vector_view<V> y) {
    start_replay<T, V>(executor, alpha, plan, x, beta, y);
    COPSE_CUDA_TRY(cudaStreamSynchronize(executor.state().stream()));
}

}  // namespace

template <class T>
spmv_plan<T>::spmv_plan(gpu& executor, hisparse<T> const& a)
    : spmv_plan(
          detail::plan_on(executor, a, detail::replay_shape, [&](auto const&... run_of) { run(executor, run_of...); }),
          a) {
    detail::current_device const current(executor.state().device());
    load_replay<T, T>();
    if constexpr (std::is_same_v<T, float>) load_replay<float, double>();
}

template <class T>
void spmv(gpu& executor, std::type_identity_t<T> alpha, spmv_plan<T> const& plan,
          std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
          std::type_identity_t<vector_view<T>> y) {
    replay_and_wait<T, T>(executor, alpha, plan, x, beta, y);
}
void spmv(gpu& executor, double alpha, spmv_plan<float> const& plan, vector_view<double const> x, double beta,
          vector_view<double> y) {
    replay_and_wait<float, double>(executor, alpha, plan, x, beta, y);
}

template <class T>
void spmv_async(gpu& executor, std::type_identity_t<T> alpha, spmv_plan<T> const& plan,
                std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
                std::type_identity_t<vector_view<T>> y) {
    start_replay<T, T>(executor, alpha, plan, x, beta, y);
}
void spmv_async(gpu& executor, double alpha, spmv_plan<float> const& plan, vector_view<double const> x, double beta,
                vector_view<double> y) {
    start_replay<float, double>(executor, alpha, plan, x, beta, y);
}

template <class T>
void detail::replay_on_gpu(gpu& executor, T alpha, spmv_plan<T> const& plan, vector_view<T const> x, T beta,
                           vector_view<T> y, replay_choices const& choices) {
    current_device const current(executor.state().device());
    cudaStream_t const stream = executor.state().stream();
    if (choices.row_conflicts == conflicts::in_turns)
        replay_as_chosen<conflicts::in_turns, T, T>(stream, alpha, plan, x, beta, y, no_epilogue(), nullptr, choices);
    else
        replay_as_chosen<conflicts::joined, T, T>(stream, alpha, plan, x, beta, y, no_epilogue(), nullptr, choices);
}

template spmv_plan<float>::spmv_plan(gpu&, hisparse<float> const&);
template spmv_plan<double>::spmv_plan(gpu&, hisparse<double> const&);
template void spmv(gpu&, float, spmv_plan<float> const&, vector_view<float const>, float, vector_view<float>);
template void spmv(gpu&, double, spmv_plan<double> const&, vector_view<double const>, double, vector_view<double>);
template void spmv_async(gpu&, float, spmv_plan<float> const&, vector_view<float const>, float, vector_view<float>);
template void spmv_async(gpu&, double, spmv_plan<double> const&, vector_view<double const>, double,
                         vector_view<double>);
template void detail::replay_on_gpu(gpu&, float, spmv_plan<float> const&, vector_view<float const>, float,
                                    vector_view<float>, replay_choices const&);
template void detail::replay_on_gpu(gpu&, double, spmv_plan<double> const&, vector_view<double const>, double,
                                    vector_view<double>, replay_choices const&);

}  // namespace copse
