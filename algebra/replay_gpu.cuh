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
// If parts of the plan share rows (slot_count > 0), a product takes memory in its stream's order. In a graph that is an
// allocation node, and a graph with such a node has one executable instance at a time. If the device has too little
// memory, even after all executors gave back what they keep, a product that is not captured waits for the device.
#pragma once

#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/replay_choices.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <copse/runtime/gpu/kernels.cuh>
#include <copse/runtime/gpu/state.cuh>
#include <cstdint>

namespace copse {
namespace detail {

/// A run in which nothing is pushed.
struct no_queues {
    using machine = gpu_machine;
};

inline namespace COPSE_COMPILATION {

/// task(i, worker) for i < count, without queues.
template <class Task>
__global__ void __launch_bounds__(block_threads, task_resident_blocks<Task>(drain_blocks))
    plain_kernel(__grid_constant__ Task const task, std::int64_t count) {
    __shared__ block_storage<Task> storage;
    int constexpr workers = block_threads / Task::width;
    int const index = static_cast<int>(threadIdx.x) / Task::width;
    no_queues const run;
    gpu_worker<Task, no_queues> worker(run, index, storage.exchange + index * lanes<Task::width>::exchange_bytes,
                                       storage.scratch + index * worker_scratch_bytes<Task>);
    for (std::int64_t i = std::int64_t{blockIdx.x} * workers + index; i < count; i += std::int64_t{gridDim.x} * workers)
        task(i, worker);
}

/// Of the task's kernel, which is loaded then.
template <class Task>
int load_plain() {
    return resident_blocks_of(reinterpret_cast<void const*>(&plain_kernel<Task>));
}

template <class Task>
void launch_plain(Task const& task, std::int64_t count, cudaStream_t stream, plan_grid grid = plan_grid::resident) {
    if (count == 0) return;
    int const resident = load_plain<Task>();
    auto const blocks = static_cast<unsigned>(blocks_of(grid, count, block_threads / Task::width, resident));
    plain_kernel<Task><<<blocks, block_threads, 0, stream>>>(task, count);
    COPSE_CUDA_TRY(cudaGetLastError());
}

/// replay_on_stream() as chosen.
template <class T, class V, class Epilogue>
void replay_as_chosen(cudaStream_t stream, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                      vector_view<V> y, Epilogue const& epilogue, result_pointer<epilogue_result<V, Epilogue>> sums,
                      replay_choices const& choices) {
    auto product = make_replay<T, V>(alpha, plan, x, beta, y, memory_space::device);
    plan_direction const& lists = direction_of(plan);
    auto const slot_bytes = static_cast<std::size_t>(lists.slot_count << product.tree.dimension_log2()) * sizeof(V);
    auto const& where = dynamic_cast<gpu_memory const&>(*content_of(plan)->where);
    current_device const current(where.device());
    stream_chunk const slots(where, stream, slot_bytes);
    product.slots = static_cast<V*>(slots.data());
    row_writer<V, Epilogue> const writer{y.data(), product.factor, beta, epilogue, sums};
    launch_plain(replay_part_task<T, V, Epilogue>{product, writer, choices.fetch_ahead}, lists.part_count, stream,
                 choices.grid);
    launch_plain(replay_split_task<T, V, Epilogue>{product, writer, lists.part_count}, lists.split_count, stream,
                 choices.grid);
}

}  // namespace COPSE_COMPILATION
}  // namespace detail

inline namespace COPSE_COMPILATION {

/// Loads the kernels of replay_on_stream() with this epilogue on the current device, unless they are loaded. Without
/// this its first call loads them, which may wait, or end a capture. Plans load the kernels of products without an
/// epilogue. Throws cuda_error.
template <class T, class V, class Epilogue = detail::no_epilogue>
void load_replay() {
    detail::load_plain<detail::replay_part_task<T, V, Epilogue>>();
    detail::load_plain<detail::replay_split_task<T, V, Epilogue>>();
}

/// y <- alpha * op(A) * x + beta * y as spmv() with a plan, on a stream of the plan's device, without waiting: plan, x,
/// y and sums must stay as they are until the stream has done it. epilogue(i, y_i) as there; what it returns for the
/// elements of piece k goes to sums[k], k < piece_count(plan), to be added up in this order.
/// Throws shape_error, argument_error, cuda_error. The stream may be capturing: plan, x, y and sums must then stay for
/// as long as the graph is launched. If there is an epilogue, call load_replay() with the same types before.
template <class T, class V, class Epilogue = detail::no_epilogue>
void replay_on_stream(cudaStream_t stream, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                      vector_view<V> y, Epilogue const& epilogue = {}, piece_sums<V, Epilogue> sums = nullptr) {
    detail::replay_as_chosen<T, V>(stream, alpha, plan, x, beta, y, epilogue, sums, {});
}

}  // namespace COPSE_COMPILATION
}  // namespace copse
