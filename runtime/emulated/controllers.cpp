#include <algorithm>
#include <copse/runtime/emulated/run.hpp>
#include <copse/runtime/error.hpp>
#include <string>
#include <vector>

namespace copse::detail {
namespace {

/// What the controllers know of a run.
struct controlled_run {
    using machine = emulated_machine;
    run_control<machine>* control;
    run_trace_memory<machine>* trace;
    emulated_grid& grid;
    emulated_bodies const& bodies;
    emulated_options const& options;
    launch_counts& counts;
    int threads;
    fact_list tasks;
    std::vector<bare_queue<machine>> queues;  // of the tasks

    std::int64_t items_per_block(std::size_t queue) const { return threads / tasks[queue].width; }
};

/// Starts blocks that drain one queue, or fails to, as the options want it.
struct emulated_launcher {
    controlled_run const& run;

    std::uint64_t now() const { return run.grid.nanoseconds(); }

    int launch(int queue, std::int64_t blocks, std::int32_t launch_number) const {
        launch_faults const& faults = run.options.faults;
        lane_point();
        std::int64_t const attempt = ++run.counts.attempts;
        if (faults.busy_every > 0 && attempt % faults.busy_every == 0) return launch_later;
        std::int64_t const number = run.counts.launches++;
        if (number == faults.failing) return faults.code;
        auto const drain = [view = run.bodies.view, body = run.bodies.drain_queue[static_cast<std::size_t>(queue)],
                            launch_number](emulated_lane& lane) { body(lane, view, launch_number); };
        if (number == faults.late)
            run.grid.launch_late(static_cast<int>(blocks), drain);
        else
            run.grid.launch(static_cast<int>(blocks), drain);
        return 0;
    }
};

/// Resident blocks that draw from all queues.
void run_persistent(controlled_run const& run) {
    launch_faults const& faults = run.options.faults;
    if (run.counts.launches++ == faults.failing)
        throw cuda_error("emulated: the resident kernel could not be launched: CUDA error " +
                         std::to_string(faults.code));
    if (run.trace) {
        std::uint64_t const now = run.grid.nanoseconds();
        write_record(*run.trace, trace_kind::launch, -1, run.options.blocks, now, now, {0, 0, launched_by_host});
    }
    run.grid.launch(run.options.blocks,
                    [&run](emulated_lane& lane) { run.bodies.drain_all(lane, run.bodies.view, 0); });
    run.grid.drain();
}

/// A warp that watches the queues and launches.
void run_device(controlled_run const& run) {
    if (run.queues.size() > most_watched_queues)
        throw argument_error(
            "emulated: the device controller watches at most 32 task types, one per lane; the run has " +
            std::to_string(run.queues.size()));
    launch_policy const policy{.full_blocks = 2,
                               .low_blocks = run.options.blocks,
                               .most_blocks = 4 * std::int64_t{run.options.blocks},
                               .stall_nanoseconds = static_cast<std::uint64_t>(run.options.stall_seconds * 1e9)};
    emulated_launcher launcher{run};
    run.grid.launch_controller([&](emulated_lane& lane) {
        auto const queue = static_cast<std::size_t>(lane.rank);
        if (queue >= run.queues.size()) return;
        watched_queue<emulated_machine> watched{run.queues[queue], run.items_per_block(queue), 0, 0, 0, 0};
        control_lane(lane.rank, watched, run, policy, launcher);
    });
    run.grid.drain();
}

/// Blocks for what a queue holds. False if it holds nothing.
bool launch_for(controlled_run const& run, std::size_t queue, std::int64_t fill) {
    emulated_launcher const launcher{run};
    std::int64_t const of_block = run.items_per_block(queue);
    std::int64_t const blocks = std::min((fill + of_block - 1) / of_block, 4 * std::int64_t{run.options.blocks});
    if (blocks == 0) return false;
    watched_queue<emulated_machine> watched{run.queues[queue], of_block, 0, 0, 0, 0};
    launch_blocks(watched, static_cast<int>(queue), blocks, run, launcher, launched_by_host);
    return true;
}

/// Rounds: the fill levels, a launch for each queue that holds something, and again when all blocks have ended.
void run_host(controlled_run const& run) {
    std::vector<std::size_t> const order = by_priority(run.tasks);
    std::vector<std::int64_t> fill(run.queues.size());
    while (true) {
        for (std::size_t i = 0; i < fill.size(); ++i) fill[i] = run.queues[i].open_fill(*run.control);
        if (run.control->finished() || run.control->stopped()) return;
        bool launched = false;
        for (std::size_t const queue : order) launched = launch_for(run, queue, fill[queue]) || launched;
        if (!launched)
            throw error(
                "emulated: items are outstanding, but no queue holds any; this is a defect of copse: report it");
        run.grid.drain();
    }
}

}  // namespace

int emulated_threads(fact_list tasks) {
    int most = 32;
    for (task_facts const& task : tasks) most = std::max(most, task.width);
    return most;
}

std::size_t emulated_scratch_bytes(fact_list tasks, int threads) {
    std::size_t most = 0;
    for (task_facts const& task : tasks)
        most =
            std::max(most, padded_scratch_bytes(task.scratch_bytes) * static_cast<std::size_t>(threads / task.width));
    return most;
}

void run_emulated(emulated_grid& grid, run_layout const& layout, fact_list tasks, emulated_bodies const& bodies,
                  emulated_options const& options, launch_counts& counts) {
    controlled_run run{control_in<emulated_machine>(layout),
                       trace_in<emulated_machine>(layout),
                       grid,
                       bodies,
                       options,
                       counts,
                       emulated_threads(tasks),
                       tasks,
                       {}};
    for (std::size_t i = 0; i < tasks.size(); ++i)
        run.queues.push_back({levels_in<emulated_machine>(layout.queues[i]), tasks[i].phase});
    if (run.trace) run.trace->begin = grid.nanoseconds();
    switch (options.controller) {
        case controller::persistent:
            run_persistent(run);
            break;
        case controller::device:
            run_device(run);
            break;
        case controller::host:
            run_host(run);
            break;
    }
    if (run.trace) run.trace->end = grid.nanoseconds();
}

}  // namespace copse::detail
