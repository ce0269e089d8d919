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
// Code compiled with -rdc=true (CUDA_SEPARABLE_COMPILATION in CMake, linked with copse::device) has all three. Code
// compiled without -rdc=true has the device controller if a file with -rdc=true registers it for the same tasks
// (gpu_device_controller.cuh). The library's own operations have it so: copse::copse is compiled without, and
// copse::device brings the registrations. One program may compile the same tasks in both ways, so everything that names
// a kernel is in an inline namespace of its compilation.
#pragma once

#ifndef __CUDACC_RELAXED_CONSTEXPR__
#error "copse: compile with --expt-relaxed-constexpr (link copse::copse, which asks for it)"
#endif

#include <algorithm>
#include <chrono>
#include <copse/runtime/gpu/cancellation.cuh>
#include <copse/runtime/gpu/controller_registry.hpp>
#include <copse/runtime/gpu/kernels.cuh>
#include <copse/runtime/gpu/mailbox.cuh>
#include <copse/runtime/gpu/state.cuh>
#include <copse/runtime/nvtx.hpp>
#include <copse/runtime/scheduler/run_storage.hpp>
#include <copse/runtime/scheduler/run_trace.hpp>
#include <copse/runtime/seed.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#ifdef __CUDACC_RDC__
#include <copse/runtime/gpu_device_controller.cuh>
#endif

namespace copse {
namespace detail {

/// Blocks that `items` items need, at least one and at most `most`.
constexpr int blocks_for(std::int64_t items, std::int64_t items_per_block, int most) {
    std::int64_t const needed = (items + items_per_block - 1) / items_per_block;
    return static_cast<int>(std::clamp<std::int64_t>(needed, 1, most));
}

/// A run on its way: the executor's state, and the view that its kernels get.
template <class... Tasks>
struct gpu_run {
    static constexpr int task_count = sizeof...(Tasks);

    gpu const& executor;
    gpu_state& state;
    run_view<gpu_machine, Tasks...> view;
    bare_run bare;
    run_mailbox& mailbox;
    std::uint64_t launches[task_count] = {};  // by the host
    // Where the run is traced:
    trace* traced = nullptr;
    std::int64_t host_begin = 0;
    std::vector<trace_record> host_launches = {};

    cudaStream_t stream() const { return state.stream(); }
};

/// Lays out the queues in the executor's workspace and zeroes them.
template <class... Tasks>
gpu_run<Tasks...> prepare_run(gpu const& executor, run_options const& options, Tasks const&... tasks) {
    gpu_state& state = state_of(executor);
    refuse_capture(state.stream(), "run()");
    auto const sizes = lay_out<gpu_machine>(nullptr, options, tasks...);
    std::byte* const memory = state.workspace.at_least(sizes.bytes);
    COPSE_CUDA_TRY(cudaMemsetAsync(memory, 0, sizes.zero_bytes, state.stream()));
    auto const view = lay_out<gpu_machine>(memory, options, tasks...).view;
    auto* const mailbox = reinterpret_cast<run_mailbox*>(state.mailbox.at_least(sizeof(run_mailbox)));
    gpu_run<Tasks...> run{executor, state, view, bare_run_of(view), *mailbox};
    if (view.trace) {
        run.traced = options.traced();
        run.host_begin = host_nanoseconds();
        auto const header = fresh_trace(view, run.traced->options());
        COPSE_CUDA_TRY(cudaMemcpyAsync(view.trace, &header, sizeof header, cudaMemcpyDefault, state.stream()));
        write_clock(&view.trace->begin, state.stream());
    }
    return run;
}

/// Notes a launch by the host of that many blocks; returns its number. now: the GPU's clock shortly before; 0: when the
/// run began. Does nothing where the run is not traced.
template <class... Tasks>
std::int32_t trace_host_launch(gpu_run<Tasks...>& run, int queue, std::int64_t blocks, std::uint64_t now) {
    if (!run.traced) return 0;
    auto const number = static_cast<std::int32_t>(run.host_launches.size());
    auto const time = static_cast<std::int64_t>(now);
    run.host_launches.push_back({time, time, blocks, trace_kind::launch, queue, number, 0, launched_by_host});
    return number;
}

/// Copies the records of a run that is over. Waits.
template <class... Tasks>
void fetch_trace(gpu_run<Tasks...>& run) {
    if (!run.traced) return;
    auto* const memory = run.view.trace;
    trace_memory<gpu_machine> header{};
    auto const copy = [&](void* to, void const* from, std::size_t bytes) {
        if (bytes > 0) COPSE_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, run.stream()));
    };
    copy(&header, memory, sizeof header);
    COPSE_CUDA_TRY(cudaStreamSynchronize(run.stream()));
    raw_trace raw = raw_trace_of(header);
    auto* const records = reinterpret_cast<trace_record const*>(memory + 1);
    raw.records.resize(kept(header.written, header.capacity));
    raw.samples.resize(kept(header.sampled, header.sample_capacity));
    copy(raw.records.data(), records, raw.records.size() * sizeof(trace_record));
    copy(raw.samples.data(), records + header.capacity, raw.samples.size() * sizeof(trace_record));
    COPSE_CUDA_TRY(cudaStreamSynchronize(run.stream()));
    for (auto& launch : run.host_launches)
        if (launch.begin == 0) launch.begin = launch.end = static_cast<std::int64_t>(raw.begin);
    raw.records.insert(raw.records.end(), run.host_launches.begin(), run.host_launches.end());
    trace_source source{"gpu " + run.executor.properties().name, name_of(run.executor.controller()), "%globaltimer"};
    add_run(*run.traced, std::move(raw), std::move(source), {task_name<Tasks>()...}, run.host_begin);
}

inline namespace COPSE_COMPILATION {

/// Copies items to `room` and starts a kernel that pushes them, and the range.
template <class Item, class... Tasks>
void push_seed(gpu_run<Tasks...> const& run, push_target<Item, gpu_machine> const& to, std::vector<Item> const& seeds,
               Item* room, std::int64_t range_first, std::int64_t range_count) {
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
void push_seeds(gpu_run<Tasks...> const& run, seed_list<Seeded...> const& seeds) {
    nvtx_range const range(nvtx_room::runtime, "copse seeds", seed_count(seeds));
    memory_cursor sizes(nullptr);
    std::apply([&](auto const&... entry) { (sizes.take<typename Seeded::item>(entry.items.size()), ...); },
               seeds.entries);
    memory_cursor room(run.state.seeds.at_least(sizes.bytes()));
    auto push = [&]<class Task>(seed_entry<Task> const& entry) {
        if constexpr (check_push<run_view<gpu_machine, Tasks...>, Task, Task>())
            push_seed(run, push_target_of<Task>(run.view), entry.items,
                      room.take<typename Task::item>(entry.items.size()), entry.range_first, entry.range_count);
    };
    std::apply([&](auto const&... entry) { (push(entry), ...); }, seeds.entries);
}

template <class... Tasks>
void control_by_residents(gpu_run<Tasks...>& run) {
    nvtx_range const range(nvtx_room::runtime, range_name<Tasks...>());
    auto const kernel = reinterpret_cast<void const*>(&resident_kernel<Tasks...>);
    void* arguments[] = {&run.view};
    int const blocks = resident_blocks_of(kernel);
    trace_host_launch(run, -1, blocks, 0);
    COPSE_CUDA_TRY(cudaLaunchCooperativeKernel(kernel, blocks, block_threads, arguments, 0, run.stream()));
}

/// One launch per queue that holds something; false if none does.
template <class... Tasks>
bool launch_round(gpu_run<Tasks...>& run) {
    void const* const kernels[] = {
        reinterpret_cast<void const*>(&drain_kernel<Tasks, run_view<gpu_machine, Tasks...>>)...};
    std::int64_t const items_per_block[] = {block_threads / Tasks::width...};
    char const* const names[] = {range_name<Tasks>()...};
    std::int32_t launch = 0;
    void* arguments[] = {&run.view, &launch};
    bool launched = false;
    for (int const i : places_by_priority<Tasks...>()) {
        std::int64_t const fill = run.mailbox.fill[i];
        if (fill == 0) continue;
        nvtx_range const range(nvtx_room::runtime, names[i], fill);
        int const blocks = blocks_for(fill, items_per_block[i], resident_blocks_of(kernels[i]));
        launch = trace_host_launch(run, i, blocks, run.mailbox.nanoseconds);
        COPSE_CUDA_TRY(cudaLaunchKernel(kernels[i], blocks, block_threads, arguments, 0, run.stream()));
        ++run.launches[i];
        launched = true;
    }
    return launched;
}

template <class... Tasks>
void control_from_host(gpu_run<Tasks...>& run) {
    while (true) {
        look(run.bare, run.mailbox, run.stream());
        if (run.mailbox.finished) return;
        // With nothing running the fill levels are exact: work that is outstanding but in no queue would be waited for
        // forever.
        if (!launch_round(run))
            throw error("gpu: items are outstanding, but no queue holds any; this is a defect of copse: report it");
    }
}

template <class... Tasks>
device_controller<Tasks...> find_device_controller() {
#ifdef __CUDACC_RDC__
    return &start_device_controller<Tasks...>;
#else
    if (has_device_controller<Tasks...>()) return device_controller_of<Tasks...>;
    throw cuda_error(device_target_linked
                         ? "gpu: the device controller does not know these tasks: compile them with -rdc=true "
                           "(CUDA_SEPARABLE_COMPILATION), or choose controller::persistent or controller::host"
                         : "gpu: the device controller is not in this program: link copse::device, or choose "
                           "controller::persistent or controller::host");
#endif
}

template <class... Tasks>
void control_on_device(gpu_run<Tasks...>& run) {
    nvtx_range const range(nvtx_room::runtime, range_name<Tasks...>());
    auto const start = find_device_controller<Tasks...>();
    std::int64_t const multiprocessors = run.executor.properties().multiprocessor_count;
    launch_policy policy{};
    policy.full_blocks = multiprocessors;
    policy.low_blocks = 2 * multiprocessors;
    policy.most_blocks = run.state.pending_launches(16 * multiprocessors);
    policy.stall_nanoseconds = static_cast<std::uint64_t>(run.executor.options().stall_seconds * 1e9);
    start(run.view, policy, run.stream());
}

/// Waits for the run's end. Throws what went wrong.
template <class... Tasks>
run_report finish_run(gpu_run<Tasks...>& run) {
    if (run.traced) write_clock(&run.view.trace->end, run.stream());
    collect(run.bare, run.mailbox, run.stream());
    fetch_trace(run);
    throw_failure<Tasks...>(run.mailbox.failure);
    for (int i = 0; i < run.task_count; ++i) run.mailbox.figures[i].done.launches += run.launches[i];
    return make_report<Tasks...>(run.mailbox.figures);
}

}  // namespace COPSE_COMPILATION
}  // namespace detail

inline namespace COPSE_COMPILATION {

/// Runs the seeds, and all that they push, to the end, under the executor's controller. Waits.
/// Every task type that is pushed or seeded must be among `tasks`, once; what the tasks point to is in device memory.
/// Throws queue_full, task_error, cancelled; stalled (device controller); worker_misuse (COPSE_CHECKED); cuda_error.
/// The executor stays usable, unless a task function used memory that it must not: CUDA ends the process's use of the
/// GPU then, and cuda_error says so.
template <class... Seeded, class... Tasks>
run_report run(gpu& executor, run_options const& options, seed_list<Seeded...> const& seeds, Tasks const&... tasks) {
    (detail::check_task<Tasks>(), ...);
    nvtx_range const range(nvtx_room::runtime, "copse run", detail::seed_count(seeds));
    auto const start = std::chrono::steady_clock::now();
    std::scoped_lock const lock(state_of(executor).one_run_at_a_time);
    if (options.stop().stop_requested()) throw cancelled();
    detail::current_device const current(state_of(executor).device());
    auto begun = detail::prepare_run(executor, options, tasks...);
    detail::push_seeds(begun, seeds);
    detail::gpu_cancellation cancellation(begun.state, options.stop(), begun.view.control);
    switch (executor.controller()) {
        case controller::persistent:
            detail::control_by_residents(begun);
            break;
        case controller::host:
            detail::control_from_host(begun);
            break;
        case controller::device:
            detail::control_on_device(begun);
            break;
    }
    cancellation.end(begun.stream());
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
