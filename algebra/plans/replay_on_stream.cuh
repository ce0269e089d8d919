// Plans on a GPU's stream: tasks as plain kernels, and the products of replay_gpu.cuh by them, as chosen.
#pragma once

#include <algorithm>
#include <copse/algebra/plans/both_products.hpp>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/replay_choices.hpp>
#include <copse/algebra/plans/replay_staged.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <copse/runtime/gpu/kernels.cuh>
#include <copse/runtime/gpu/memory.cuh>
#include <copse/runtime/gpu/state.cuh>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace copse::detail {

/// Before a direction of a plan is made: throws cuda_error where the stream is capturing, before that breaks the
/// capture.
inline void refuse_captured_first_use(cudaStream_t stream) {
    if (is_capturing(stream))
        throw cuda_error(
            "gpu: the plan is not made yet for products in this direction, and cannot be made while the stream is "
            "capturing; make it with plan_directions::both, or multiply once before the capture");
}

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
    if constexpr (task_bulk_copies<Task>() > 0) worker.set_up_bulk_copies();
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

/// Of operands that are checked. If the lists of this direction are not made yet, makes them, or throws where the
/// stream captures.
template <class T, class V>
ready_replay<T, V> replay_on(cudaStream_t stream, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                             vector_view<V> y) {
    if (!content_of(plan)->directions[plan.matrix().is_transposed()].made()) refuse_captured_first_use(stream);
    return {replay_of<T, V>(plan, alpha, x, beta, y), direction_of(plan)};
}

/// With memory in the stream's order until this ends, on the plan's device, which is the current one as long.
template <class T, class V>
class placed_on_stream : public ready_replay<T, V> {
  public:
    using ready_replay<T, V>::lists, ready_replay<T, V>::product;

    placed_on_stream(cudaStream_t stream, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                     vector_view<V> y)
        : ready_replay<T, V>(replay_on<T, V>(stream, alpha, plan, x, beta, y)),
          in_slots_(lists.slot_count << product.tree.dimension_log2()),
          in_both_(reads_both_signs(lists, product) ? 2 * x.size() : 0),
          current_(memory_of(plan).device()),
          own_(memory_of(plan), stream, static_cast<std::size_t>(in_slots_ + in_both_) * sizeof(V)) {
        product.slots = static_cast<V*>(own_.data());
        if (in_both_ == 0) return;
        V* const both = product.slots + in_slots_;
        launch_plain(double_x<V>{x.data(), both, x.size()}, stretches(x.size(), double_x<V>::stretch), stream);
        product = with_both(product, lists, static_cast<V const*>(both));
    }

  private:
    static gpu_memory const& memory_of(spmv_plan<T> const& plan) {
        return dynamic_cast<gpu_memory const&>(*content_of(plan)->where);
    }

    std::int64_t in_slots_, in_both_;
    current_device current_;
    // From a pool that keeps what was freed: a call of the host's beside two launches, nothing of the GPU's. Memory
    // kept with the plan would be one for all streams and graphs that replay the plan at once.
    stream_chunk own_;
};

/// replay_on_stream() as chosen. As long as no default stages, or goes by blocks, no epilogue may.
template <class T, class V, class Epilogue, class Choices>
void replay_as_chosen(cudaStream_t stream, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                      vector_view<V> y, Epilogue const& epilogue, result_pointer<epilogue_result<V, Epilogue>> sums,
                      Choices const& choices) {
    check_replay<T, V>(plan, x, y, memory_space::device);
    placed_on_stream<T, V> const ready(stream, alpha, plan, x, beta, y);
    auto const writer = writer_of(ready.product, epilogue, sums);
    with_part_task<std::is_same_v<Epilogue, no_epilogue>, T, V>(ready, writer, choices, [&](auto const& task) {
        launch_plain(task, ready.lists.part_count, stream, choices.grid);
    });
    launch_plain(replay_split_task<T, V, Epilogue>{ready.product, writer, ready.lists.part_count},
                 ready.lists.split_count, stream, choices.grid);
}

/// spmv_both(), of operands that are checked. of_rows, of_columns: as replay_on_stream() has sums.
template <class T, class V, class EpilogueY, class EpilogueZ, class Choices>
void replay_both_as_chosen(cudaStream_t stream, spmv_plan<T> const& plan, both_products<V> const& what,
                           EpilogueY const& of_y, EpilogueZ const& of_z,
                           result_pointer<epilogue_result<V, EpilogueY>> of_rows,
                           result_pointer<epilogue_result<V, EpilogueZ>> of_columns, Choices const& choices) {
    auto const turned = plan.transposed();
    if constexpr (may_choose<Choices>) {
        if (choices.both_at_once) {
            placed_on_stream<T, V> const rows(stream, what.alpha, plan, what.x, what.beta, what.y),
                columns(stream, what.gamma, turned, what.w, what.delta, what.z);
            return with_both_tasks<T, V>(rows, writer_of(rows.product, of_y, of_rows), columns,
                                         writer_of(columns.product, of_z, of_columns), choices.fetch_ahead,
                                         [&](auto const& parts, auto const& splits) {
                                             launch_plain(parts, parts.items.count(), stream, choices.grid);
                                             launch_plain(splits, splits.items.count(), stream, choices.grid);
                                         });
        }
    }
    replay_as_chosen<T, V>(stream, what.alpha, plan, what.x, what.beta, what.y, of_y, of_rows, choices);
    replay_as_chosen<T, V>(stream, what.gamma, turned, what.w, what.delta, what.z, of_z, of_columns, choices);
}

/// normal_product() part by part, of operands that are checked. t: of all rows, if parts share some; sums: of pieces.
template <class T, class V, class F>
void replay_normal_by_parts(cudaStream_t stream, spmv_plan<T> const& plan, vector_view<V const> x, F const& f, V beta,
                            vector_view<V> z, V* t, result_pointer<epilogue_result<V, F>> sums,
                            replay_choices const& choices) {
    placed_on_stream<T, V> const rows(stream, V(1), plan, x, V(0), {});
    if (beta != V(1))
        launch_plain(scale_output<V>{z.data(), z.size(), beta}, stretches(z.size(), scale_output<V>::stretch), stream);
    std::int64_t const parts_that_may_share = rows.lists.split_count > 0 ? rows.lists.part_count : 0;
    with_normal_tasks<T, V>(rows, f, sums, t, z, choices.fetch_ahead,
                            [&](auto const& parts, auto const& splits, auto const& shared) {
                                launch_plain(parts, rows.lists.part_count, stream, choices.grid);
                                launch_plain(splits, rows.lists.split_count, stream, choices.grid);
                                launch_plain(shared, parts_that_may_share, stream, choices.grid);
                            });
}

/// Sums of a product's pieces, which total() adds up in their order: it waits. std::monostate for nothing.
template <class Result>
class sums_on_gpu {
  public:
    sums_on_gpu(gpu& executor, std::int64_t pieces) : there_(executor.temporary(), pieces) {}
    Result* data() const { return there_.data(); }
    Result total() const {
        Result sum{};
        for (Result const& piece : there_.to_host()) sum += piece;
        return sum;
    }

  private:
    buffer<Result> there_;
};
template <>
class sums_on_gpu<void> {
  public:
    sums_on_gpu(gpu&, std::int64_t) {}
    std::nullptr_t data() const { return nullptr; }
    std::monostate total() const { return {}; }
};

template <class T, class V, class EpilogueY, class EpilogueZ, class Choices = default_choices>
auto multiply_both_with(gpu& executor, spmv_plan<T> const& plan, both_products<V> const& what, EpilogueY const& of_y,
                        EpilogueZ const& of_z, Choices const& choices = {}) {
    check_both("spmv_both", plan, what, true, executor.memory()->space());
    current_device const current(state_of(executor).device());
    sums_on_gpu<epilogue_result<V, EpilogueY>> const of_rows(executor, piece_count(plan));
    sums_on_gpu<epilogue_result<V, EpilogueZ>> const of_columns(executor, piece_count(plan.transposed()));
    replay_both_as_chosen<T, V>(state_of(executor).stream(), plan, what, of_y, of_z, of_rows.data(), of_columns.data(),
                                choices);
    wait_for_stream(executor);
    return std::pair(of_rows.total(), of_columns.total());
}

template <class T, class V, class F, class Choices = default_choices>
auto multiply_normal(gpu& executor, spmv_plan<T> const& plan, vector_view<V const> x, F const& f, V beta,
                     vector_view<V> z, Choices const& choices = {}) {
    check_both<T, V>("normal_product", plan, {V(1), x, V(0), {}, V(1), {}, beta, z}, false, executor.memory()->space());
    current_device const current(state_of(executor).device());
    cudaStream_t const stream = state_of(executor).stream();
    sums_on_gpu<epilogue_result<V, F>> const sums(executor, piece_count(plan));
    if constexpr (may_choose<Choices>) {
        if (goes_by_parts<V>(plan, choices)) {
            buffer<V> const t(executor.temporary(), direction_of(plan).split_count > 0 ? plan.row_count() : 0);
            replay_normal_by_parts<T, V>(stream, plan, x, f, beta, z, t.data(), sums.data(), choices);
            wait_for_stream(executor);
            return sums.total();
        }
    }
    buffer<V> const t(executor.temporary(), plan.row_count());
    replay_as_chosen<T, V>(stream, V(1), plan, x, V(0), t.view(), f, sums.data(), choices);
    replay_and_wait<T, V>(executor, V(1), plan.transposed(), vector_view<V const>(t.view()), beta, z);
    return sums.total();
}

}  // namespace COPSE_COMPILATION
}  // namespace copse::detail
