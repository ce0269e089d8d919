// A run on an emulated grid, for each of the controllers.
#pragma once

#include <algorithm>
#include <atomic>
#include <copse/runtime/emulated/options.hpp>
#include <copse/runtime/emulated/worker.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/scheduler/controller.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace copse::detail {

/// Blocks of the emulated GPU are as wide as the widest worker, and a warp at least.
template <class... Tasks>
constexpr int emulated_threads() {
    int most = 32;
    ((most = Tasks::width > most ? Tasks::width : most), ...);
    return most;
}

/// What a block needs of scratch memory for any of the tasks.
template <class... Tasks>
constexpr std::size_t emulated_scratch_bytes() {
    std::size_t most = 0;
    auto consider = [&](std::size_t bytes, int width) {
        std::size_t const of_block = bytes * static_cast<std::size_t>(emulated_threads<Tasks...>() / width);
        most = of_block > most ? of_block : most;
    };
    (consider(padded_scratch_bytes(task_scratch_bytes<Tasks>()), Tasks::width), ...);
    return most;
}

/// A lane's view of its block, as block_drain.hpp wants it.
class emulated_block {
  public:
    /// launch: the block's, in a trace.
    emulated_block(emulated_lane& lane, std::int32_t launch) : lane_(lane), launch_(launch) {}
    int thread_rank() const { return lane_.rank; }
    int thread_count() const { return lane_.block.threads; }
    void sync() const { lane_.sync_block(); }
    block_shared& shared() const { return lane_.block.shared; }
    std::byte* items() const { return lane_.block.items; }
    /// Few, so that batches of several items for each worker are common.
    template <class Run>
    static std::int64_t sharers(Run const&) {
        return 2;
    }
    template <class Run>
    static bool should_leave(Run const&, std::int64_t fill, std::int64_t workers) {
        return fill > 32 * workers;
    }
    std::uint64_t nanoseconds() const { return lane_.grid.nanoseconds(); }
    trace_place place() const { return {launch_, lane_.block.index, 0}; }

    template <class Task, class Run>
    emulated_worker<Task, Run> next_worker(Run const& run) const {
        sync();
        lane_.begin_batch(task_name<Task>, Task::width);
        // Nobody may count on what was there before: for numbers these bytes are NaN.
        std::size_t constexpr bytes = task_scratch_bytes<Task>();
        if (bytes > 0 && lane_.worker_rank() == 0)
            std::memset(lane_.worker_scratch(padded_scratch_bytes(bytes)), 0xff, bytes);
        sync();
        return {lane_, run};
    }

  private:
    emulated_lane& lane_;
    std::int32_t launch_;
};

/// Launches of an executor, in all its runs: for launch_faults.
struct launch_counts {
    std::atomic<std::int64_t> attempts{0};
    std::atomic<std::int64_t> launches{0};
};

/// Starts blocks that drain one queue, or fails to, as the options want it.
template <class Run>
class emulated_launcher {
  public:
    emulated_launcher(emulated_grid& grid, Run const& run, launch_faults const& faults, launch_counts& counts)
        : grid_(grid), run_(run), faults_(faults), counts_(counts) {}

    std::uint64_t now() const { return grid_.nanoseconds(); }

    template <class Task>
    int launch(std::int64_t blocks, std::int32_t launch_number) {
        lane_point();
        std::int64_t const attempt = ++counts_.attempts;
        if (faults_.busy_every > 0 && attempt % faults_.busy_every == 0) return launch_later;
        std::int64_t const number = counts_.launches++;
        if (number == faults_.failing) return faults_.code;
        auto const body = [&run = run_, launch_number](emulated_lane& lane) {
            emulated_block block(lane, launch_number);
            drain_queue<Task>(block, run);
        };
        if (number == faults_.late)
            grid_.launch_late(static_cast<int>(blocks), body);
        else
            grid_.launch(static_cast<int>(blocks), body);
        return 0;
    }

  private:
    emulated_grid& grid_;
    Run const& run_;
    launch_faults const faults_;
    launch_counts& counts_;
};

/// Resident blocks that draw from all queues.
template <class Run>
void run_persistent(emulated_grid& grid, Run const& run, emulated_options const& options) {
    if (run.trace) {
        std::uint64_t const now = grid.nanoseconds();
        write_record(*run.trace, trace_kind::launch, -1, options.blocks, now, now, {0, 0, launched_by_host});
    }
    grid.launch(options.blocks, [&run](emulated_lane& lane) {
        emulated_block block(lane, 0);
        drain_all_queues(block, run, lane.block.index);
    });
    grid.drain();
}

/// A warp that watches the queues and launches.
template <class Run>
void run_device(emulated_grid& grid, Run const& run, emulated_options const& options, int threads,
                launch_counts& counts) {
    launch_policy const policy{.full_blocks = 2,
                               .low_blocks = options.blocks,
                               .most_blocks = 4 * std::int64_t{options.blocks},
                               .stall_nanoseconds = static_cast<std::uint64_t>(options.stall_seconds * 1e9)};
    emulated_launcher<Run> launcher(grid, run, options.faults, counts);
    grid.launch_controller([&](emulated_lane& lane) { control_lane(lane.rank, threads, run, policy, launcher); });
    grid.drain();
}

/// Rounds: the fill levels, a launch for each queue that holds something, and again when all blocks have ended.
template <class Run>
void run_host(emulated_grid& grid, Run const& run, emulated_options const& options, int threads,
              launch_counts& counts) {
    using machine = emulated_machine;
    emulated_launcher<Run> launcher(grid, run, options.faults, counts);
    bool tried = false;
    auto launch = [&]<class Task>(std::int64_t fill) {
        std::int64_t const items_per_block = threads / Task::width;
        std::int64_t const blocks =
            std::min((fill + items_per_block - 1) / items_per_block, 4 * std::int64_t{options.blocks});
        if (blocks == 0) return;
        tried = true;
        machine::add_relaxed(&run.control->running_blocks, blocks);
        std::int32_t const number = next_launch(run);
        std::uint64_t const now = grid.nanoseconds();
        int const code = launcher.template launch<Task>(blocks, number);
        if (code == 0) {
            if (run.trace)
                write_record(*run.trace, trace_kind::launch, Run::template index<Task>, blocks, now, now,
                             {number, 0, launched_by_host});
            machine::add_relaxed(&queue_of<Task>(run).statistics->launches, std::uint64_t{1});
            return;
        }
        machine::add_relaxed(&run.control->running_blocks, -blocks);
        if (code != launch_later) stop_run(*run.control, Run::template index<Task>, failure_kind::launch_failed, code);
    };
    for (auto seen = look(run); !seen.finished; seen = look(run)) {
        tried = false;
        Run::any_task_by_priority([&]<class Task>() {
            launch.template operator()<Task>(seen.fill[Run::template index<Task>]);
            return false;
        });
        if (!tried)
            throw error(
                "emulated: items are outstanding, but no queue holds any; this is a defect of copse: report it");
        grid.drain();
    }
}

template <class Run>
void run_emulated(emulated_grid& grid, Run const& run, emulated_options const& options, int threads,
                  launch_counts& counts) {
    if (run.trace) run.trace->begin = grid.nanoseconds();
    switch (options.controller) {
        case controller::persistent:
            run_persistent(grid, run, options);
            break;
        case controller::device:
            run_device(grid, run, options, threads, counts);
            break;
        case controller::host:
            run_host(grid, run, options, threads, counts);
            break;
    }
    if (run.trace) run.trace->end = grid.nanoseconds();
}

}  // namespace copse::detail
