// Replaying on a GPU: a kernel for the parts, one for the rows that several parts share. To be compiled by nvcc with
// --expt-relaxed-constexpr, as copse::copse asks for.
//
//   copse::replay_on_stream<double, double>(stream, 1.0, plan, x, 0.0, y);                      // does not wait
//   copse::replay_on_stream<double, double>(stream, 1.0, plan, x, 0.0, y, square{}, sums);      // sums[k]: of piece k
//
// A product is launches and stream-ordered allocations only, so it may be captured into a CUDA graph. While a stream of
// the device is capturing, from whichever thread, make and free nothing else of copse's on it, no matrix, plan, buffer
// or executor, and run nothing but such products. Freeing one of these waits for the device, and making one may wait.
// CUDA may then give up the capture, and an allocation that has to wait may fail. Memory that was to be freed is not
// lost: it goes back later.
//
// If parts of the plan share rows (slot_count > 0), or leaves count negatively, a product takes memory in
// its stream's order. In a graph that is an allocation node, and a graph with such a node has one executable instance
// at a time. If the device has too little memory, even after all executors gave back what they keep, a product that is
// not captured waits for the device.
#pragma once

#include <copse/algebra/plans/replay_on_stream.cuh>
#include <copse/algebra/spmv_both.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/buffer.hpp>
#include <type_traits>

namespace copse {
inline namespace COPSE_COMPILATION {

/// Loads the kernels of replay_on_stream() with this epilogue on the current device, unless they are loaded. Without
/// this its first call loads them, which may wait, or end a capture. Plans load the kernels of products without an
/// epilogue. Throws cuda_error.
template <class T, class V, class Epilogue = detail::no_epilogue>
void load_replay() {
    detail::load_plain<detail::replay_part_task<T, V, Epilogue>>();
    detail::load_plain<detail::replay_part_task<T, V, Epilogue, true>>();
    detail::load_plain<detail::replay_split_task<T, V, Epilogue>>();
    detail::load_plain<detail::double_x<V>>();
}

/// y <- alpha * op(A) * x + beta * y as spmv() with a plan, on a stream of the plan's device, without waiting: plan, x,
/// y and sums must stay as they are until the stream has done it. epilogue(i, y_i) as there; what it returns for the
/// elements of piece k goes to sums[k], k < piece_count(plan) (spmv_plan.hpp), to be added up in this order.
/// Throws shape_error, argument_error, cuda_error. The stream may be capturing: plan, x, y and sums must then stay for
/// as long as the graph is launched. If there is an epilogue, call load_replay() with the same types before. If the
/// lists of this direction are not made yet (spmv_plan), this makes them and waits, or throws where the stream
/// captures.
template <class T, class V, class Epilogue = detail::no_epilogue>
void replay_on_stream(cudaStream_t stream, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                      vector_view<V> y, Epilogue const& epilogue = {}, piece_sums<V, Epilogue> sums = nullptr) {
    detail::replay_as_chosen<T, V>(stream, alpha, plan, x, beta, y, epilogue, sums, detail::default_choices());
}

/// Computes what spmv_both() with epilogues and normal_product() compute (spmv_both.hpp), by two products on the
/// executor's stream: the functions run in the lanes of kernels. Sums have one order. Temporary memory: of
/// normal_product() for t. Waits.
template <class T, plan_epilogue<T> EpilogueY, plan_epilogue<T> EpilogueZ>
auto spmv_both(gpu& executor, spmv_plan<T> const& plan, std::type_identity_t<T> alpha,
               std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
               std::type_identity_t<vector_view<T>> y, std::type_identity_t<T> gamma,
               std::type_identity_t<vector_view<T const>> w, std::type_identity_t<T> delta,
               std::type_identity_t<vector_view<T>> z, EpilogueY const& of_y, EpilogueZ const& of_z) {
    return detail::multiply_both_with<T, T>(executor, plan, {alpha, x, beta, y, gamma, w, delta, z}, of_y, of_z);
}
template <plan_epilogue<double> EpilogueY, plan_epilogue<double> EpilogueZ>
auto spmv_both(gpu& executor, spmv_plan<float> const& plan, double alpha, vector_view<double const> x, double beta,
               vector_view<double> y, double gamma, vector_view<double const> w, double delta, vector_view<double> z,
               EpilogueY const& of_y, EpilogueZ const& of_z) {
    return detail::multiply_both_with<float, double>(executor, plan, {alpha, x, beta, y, gamma, w, delta, z}, of_y,
                                                     of_z);
}
template <class T, plan_epilogue<T> F>
auto normal_product(gpu& executor, spmv_plan<T> const& plan, std::type_identity_t<vector_view<T const>> x, F const& f,
                    std::type_identity_t<T> beta, std::type_identity_t<vector_view<T>> z) {
    return detail::multiply_normal<T, T>(executor, plan, x, f, beta, z);
}
template <plan_epilogue<double> F>
auto normal_product(gpu& executor, spmv_plan<float> const& plan, vector_view<double const> x, F const& f, double beta,
                    vector_view<double> z) {
    return detail::multiply_normal<float, double>(executor, plan, x, f, beta, z);
}

}  // namespace COPSE_COMPILATION
}  // namespace copse
