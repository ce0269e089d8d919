// The decisions of the controllers: when to launch how many blocks for a queue (hisparse §4.1).
//
//   device       one warp on the GPU; each lane watches a queue and launches by dynamic parallelism     control_lane
//   persistent   resident blocks that draw from all queues                                             drain_all_queues
//   host         the host looks at the fill levels between launches                        control_from_host, run_host
//
// They know queues without tasks and items (bare_queue), so that they are compiled once.
#pragma once

#include <copse/runtime/scheduler/block_drain.hpp>
#include <copse/runtime/scheduler/run_view.hpp>
#include <cstddef>
#include <cstdint>

namespace copse {

enum class controller { device, persistent, host };

namespace detail {

struct launch_policy {
    std::int64_t full_blocks;  // a launch of so many blocks is worth making while others run
    std::int64_t low_blocks;   // with fewer running, the GPU runs dry: launch whatever is there
    std::int64_t most_blocks;  // running or pending at once; bounds pending launches, of which each has a block or more
    std::uint64_t stall_nanoseconds;  // a launched block waits to start, and nothing goes on, this long: a stall
};

/// Blocks to launch for a queue that holds `fill` items not yet promised to launched blocks; 0: not now.
COPSE_HOST_DEVICE inline std::int64_t blocks_to_launch(std::int64_t fill, std::int64_t items_per_block,
                                                       std::int64_t running_blocks, launch_policy const& policy) {
    if (fill <= 0) return 0;
    std::int64_t const needed = (fill + items_per_block - 1) / items_per_block;
    if (needed < policy.full_blocks && running_blocks >= policy.low_blocks) return 0;
    std::int64_t const room = policy.most_blocks - running_blocks;
    return needed < room ? needed : room > 0 ? room : 0;
}

/// What a launcher says: zero is success, `launch_later` a full launch queue, anything else an error code.
inline constexpr int launch_later = -1;

/// Ends the run at once: workers leave, blocks that start late leave too.
template <class Machine>
COPSE_HOST_DEVICE void stop_run(run_control<Machine>& control, int queue, failure_kind kind, std::int64_t code) {
    // The flag first: who sees the failure must not go on waiting for launched blocks.
    Machine::store_release(&control.stop, std::uint32_t{1});
    control.fail(kind, queue, code, 0, 0);
}

/// What a controller sees of a queue: its counters. The same type for every task.
template <class Machine>
struct bare_queue {
    queue_view<std::byte, Machine> levels;  // no items
    int phase;

    /// Items that may be drawn; none while the phase is closed. For launch decisions.
    COPSE_HOST_DEVICE std::int64_t open_fill(run_control<Machine> const& control) const {
        return control.phase_open(phase) ? levels.approximate_fill() : 0;
    }
};

template <class Task, class Run>
COPSE_HOST_DEVICE bare_queue<typename Run::machine> bare_queue_of(Run const& run) {
    auto const& [ring, ranges, statistics] = queue_of<Task>(run);
    return {{{ring.counters, ring.tickets, nullptr, ring.capacity, ring.capacity_log2}, ranges, statistics},
            task_phase<Task>()};
}

/// The most queues that the device controller watches, one by each lane of its warp.
inline constexpr int most_watched_queues = 32;

/// What a lane of the controller warp knows of its queue. Nothing of its task: the lanes look at their queues side by
/// side and go separate ways only to launch. (Code per task would make the warp look at one after another.)
template <class Machine>
struct watched_queue {
    bare_queue<Machine> queue;
    std::int64_t items_per_block;
    std::uint64_t launched_blocks;
    std::uint64_t started_blocks;  // as last seen
    std::int64_t outstanding;      // items of the run, as last seen
    std::uint64_t last_progress;   // when a launched block last started, an item came or went, or none was awaited

    /// False when a launched block has not started for too long, and not because others of the run have the GPU.
    COPSE_HOST_DEVICE bool see_progress(std::uint64_t now, run_control<Machine> const& control,
                                        launch_policy const& policy) {
        std::uint64_t const started = Machine::load_relaxed(&queue.levels.statistics->started_blocks);
        std::int64_t items = 0;
        for (int phase = 0; phase < phase_count; ++phase) items += Machine::load_relaxed(&control.outstanding[phase]);
        if (started != started_blocks || started == launched_blocks || items != outstanding) {
            started_blocks = started;
            outstanding = items;
            last_progress = now;
        }
        return now - last_progress <= policy.stall_nanoseconds;
    }

    /// Blocks to launch now.
    COPSE_HOST_DEVICE std::int64_t wanted_blocks(run_control<Machine> const& control,
                                                 launch_policy const& policy) const {
        // Blocks that have not started yet will each draw a block's worth.
        std::int64_t const promised = static_cast<std::int64_t>(launched_blocks - started_blocks) * items_per_block;
        return blocks_to_launch(queue.open_fill(control) - promised, items_per_block,
                                Machine::load_relaxed(&control.running_blocks), policy);
    }
};

/// Starts blocks for the queue with the given index. by: who launches, for the trace. Of the run: control and trace.
template <class Run, class Launcher>
COPSE_HOST_DEVICE void launch_blocks(watched_queue<typename Run::machine>& watched, int queue, std::int64_t blocks,
                                     Run const& run, Launcher& launcher, std::int32_t by) {
    using machine = typename Run::machine;
    machine::add_relaxed(&run.control->running_blocks, blocks);
    std::int32_t const number = next_launch(run);
    std::uint64_t const now = run.trace ? launcher.now() : 0;
    int const code = launcher.launch(queue, blocks, number);
    if (code == 0) {
        if (run.trace) write_record(*run.trace, trace_kind::launch, queue, blocks, now, now, {number, 0, by});
        watched.launched_blocks += static_cast<std::uint64_t>(blocks);
        machine::add_relaxed(&watched.queue.levels.statistics->launches, std::uint64_t{1});
        return;
    }
    machine::add_relaxed(&run.control->running_blocks, -blocks);
    if (code != launch_later) stop_run(*run.control, queue, failure_kind::launch_failed, code);
}

/// One lane of the controller warp: watches the queue with the lane's number until nothing is outstanding.
/// launcher.launch(queue, blocks, number) starts blocks that draw from that queue, as the launch of that number in a
/// trace; launcher.now() is a clock in nanoseconds.
template <class Run, class Launcher>
COPSE_HOST_DEVICE void control_lane(int lane, watched_queue<typename Run::machine>& watched, Run const& run,
                                    launch_policy const& policy, Launcher& launcher) {
    using machine = typename Run::machine;
    watched.last_progress = launcher.now();
    run_control<machine>& control = *run.control;
    while (!control.finished() && !control.stopped()) {
        if (!watched.see_progress(launcher.now(), control, policy))
            stop_run(control, lane, failure_kind::stalled,
                     static_cast<std::int64_t>(policy.stall_nanoseconds / 1000000));
        else if (std::int64_t const blocks = watched.wanted_blocks(control, policy); blocks > 0)
            launch_blocks(watched, lane, blocks, run, launcher, lane);
        machine::pause();
    }
}

}  // namespace detail
}  // namespace copse
