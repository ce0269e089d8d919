// run() on the gpu executor. To be compiled by nvcc with --expt-relaxed-constexpr, as copse::copse asks for.
//
//   copse::gpu gpu;
//   auto report = copse::run(gpu, copse::seed<visit>(root), visit{...}, finish{...});
//
// A run: lay out and zero the queues, push the seeds, hand over to a controller, fetch report and failure. Its
// controllers:
//
//   persistent   one cooperative kernel of resident blocks                              in every compilation
//   host         rounds of a snapshot and launches; what Nsight can see                 in every compilation
//   device       a warp that launches kernels from the GPU                              only with -rdc=true
//
// Code compiled with -rdc=true (CUDA_SEPARABLE_COMPILATION, linked with copse::device_separable) has all three. Code
// compiled without -rdc=true has the device controller if a file with -rdc=true registers it for the same tasks
// (gpu_device_controller.cuh). The library's own operations have it so: copse::copse is compiled without, and
// copse::device brings the registrations. One program may compile the same tasks in both ways, so everything that names
// a kernel is in an inline namespace of its compilation.
#pragma once

#ifndef __CUDACC_RELAXED_CONSTEXPR__
#error "copse: compile with --expt-relaxed-constexpr (link copse::copse, which asks for it)"
#endif

#include <chrono>
#include <copse/runtime/gpu/controller_registry.hpp>
#include <copse/runtime/gpu/kernels.cuh>
#include <copse/runtime/gpu/run.cuh>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstdint>
#include <mutex>
#include <tuple>
#include <vector>

#ifdef __CUDACC_RDC__
#include <copse/runtime/gpu_device_controller.cuh>
#endif

namespace copse {
namespace detail {
inline namespace COPSE_COMPILATION {

/// Copies items to `room` and starts a kernel that pushes them, and the range.
template <class Item>
void push_seed(gpu_run const& run, push_target<Item, gpu_machine> const& to, std::vector<Item> const& seeds, Item* room,
               std::int64_t range_first, std::int64_t range_count) {
    auto const count = static_cast<std::int64_t>(seeds.size());
    if (count == 0 && range_count <= 0) return;
    if (count > 0)
        COPSE_CUDA_TRY(
            cudaMemcpyAsync(room, seeds.data(), seeds.size() * sizeof(Item), cudaMemcpyDefault, run.stream()));
    int const blocks = blocks_for(count, block_threads, 8 * run.executor.properties().multiprocessor_count);
    seed_kernel<<<blocks, block_threads, 0, run.stream()>>>(to, room, count, range_first, range_count);
    COPSE_CUDA_TRY(cudaGetLastError());
}

template <class... Tasks, class... Seeded>
void push_seeds(gpu_run const& run, run_view<gpu_machine, Tasks...> const& view, seed_list<Seeded...> const& seeds) {
    nvtx_range const range(nvtx_room::runtime, "copse seeds", seed_count(seeds));
    memory_cursor sizes(nullptr);
    std::apply([&](auto const&... entry) { (sizes.take<typename Seeded::item>(entry.items.size()), ...); },
               seeds.entries);
    memory_cursor room(run.state.seeds.at_least(sizes.bytes()));
    auto push = [&]<class Task>(seed_entry<Task> const& entry) {
        if constexpr (check_push<run_view<gpu_machine, Tasks...>, Task, Task>())
            push_seed(run, push_target_of<Task>(view), entry.items, room.take<typename Task::item>(entry.items.size()),
                      entry.range_first, entry.range_count);
    };
    std::apply([&](auto const&... entry) { (push(entry), ...); }, seeds.entries);
}

template <class... Tasks>
device_controller<Tasks...> find_device_controller() {
#ifdef __CUDACC_RDC__
    return &start_device_controller<Tasks...>;
#else
    if (has_device_controller<Tasks...>()) return device_controller_of<Tasks...>;
    refuse_device_controller();
#endif
}

/// Hands the run over to the executor's controller.
template <class... Tasks>
void control(gpu_run& run, run_view<gpu_machine, Tasks...> const& view) {
    switch (run.executor.controller()) {
        case controller::persistent:
            return control_by_residents(run, reinterpret_cast<void const*>(&resident_kernel<Tasks...>), &view);
        case controller::host: {
            void const* const kernels[] = {
                reinterpret_cast<void const*>(&drain_kernel<Tasks, run_view<gpu_machine, Tasks...>>)...};
            return control_from_host(run, kernels, &view);
        }
        case controller::device:
            nvtx_range const range(nvtx_room::runtime, range_name<Tasks...>());
            return find_device_controller<Tasks...>()(view, policy_of(run), run.stream());
    }
}

}  // namespace COPSE_COMPILATION
}  // namespace detail

inline namespace COPSE_COMPILATION {

/// Runs the seeds, and all that they push, to the end, under the executor's controller. Waits.
/// Every task type that is pushed or seeded must be among `tasks`, once; what the tasks point to is in device memory.
/// Throws argument_error for capacities out of range; queue_full, task_error, cancelled; stalled (device controller);
/// worker_misuse (COPSE_CHECKED); cuda_error. The executor stays usable, unless a task function used memory that it
/// must not: CUDA ends the process's use of the GPU then, and cuda_error says so.
template <class... Seeded, class... Tasks>
run_report run(gpu& executor, run_options const& options, seed_list<Seeded...> const& seeds, Tasks const&... tasks) {
    (detail::check_task<Tasks>(), ...);
    static_assert(sizeof...(Tasks) <= detail::most_gpu_tasks, "copse: a run on the gpu has at most 64 task types");
    nvtx_range const range(nvtx_room::runtime, "copse run", detail::seed_count(seeds));
    auto const start = std::chrono::steady_clock::now();
    std::scoped_lock const lock(state_of(executor).one_run_at_a_time);
    if (options.stop().stop_requested()) throw cancelled();
    detail::current_device const current(state_of(executor).device());
    detail::gpu_run begun = detail::begin_run(executor, options, detail::facts_of<Tasks...>());
    auto const view = detail::view_of<gpu_machine>(begun.layout, tasks...);
    detail::push_seeds(begun, view, seeds);
    detail::gpu_cancellation cancellation(begun, options.stop());
    detail::control(begun, view);
    cancellation.end();
    run_report report = detail::finish_run(begun);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
}

template <class... Seeded, class... Tasks>
run_report run(gpu& executor, seed_list<Seeded...> const& seeds, Tasks const&... tasks) {
    return run(executor, run_options(), seeds, tasks...);
}

}  // namespace COPSE_COMPILATION
}  // namespace copse
