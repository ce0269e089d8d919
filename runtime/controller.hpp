// The decisions of the controllers: when to launch how many blocks for a queue (hisparse §4.1).
//
//   device       one warp on the GPU; each lane watches a queue and launches by dynamic parallelism     control_lane
//   persistent   resident blocks that draw from all queues                                             drain_all_queues
//   host         the host looks at the fill levels between launches                                    host_launches
#pragma once

#include <copse/runtime/block_drain.hpp>
#include <copse/runtime/run_view.hpp>

namespace copse {

enum class controller { device, persistent, host };

namespace detail {

struct launch_policy {
    std::int64_t full_blocks;  // a launch of so many blocks is worth making while others run
    std::int64_t low_blocks;   // with fewer running, the GPU runs dry: launch whatever is there
    std::int64_t most_blocks;  // running or pending at once; bounds pending launches, of which each has a block or more
    std::uint64_t stall_nanoseconds;  // a launched block that has not started after this long: the run is stalled
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

/// What a lane of the controller warp remembers about its queue.
struct watched_queue {
    std::uint64_t launched_blocks;
    std::uint64_t started_blocks;  // as last seen
    std::uint64_t last_progress;   // when a launched block last started, or none was awaited
};

/// Ends the run at once: workers leave, blocks that start late leave too.
template <class Machine, class Task, class Run>
COPSE_HOST_DEVICE void stop_run(Run const& run, failure_kind kind, std::int64_t code) {
    // The flag first: who sees the failure must not go on waiting for launched blocks.
    Machine::store_release(&run.control->stop, std::uint32_t{1});
    run.control->template fail<Machine>(kind, Run::template index<Task>, code, 0, 0);
}

/// One look at Task's queue; launches blocks for it if that is worth while.
template <class Machine, class Task, class Run, class Launcher>
COPSE_HOST_DEVICE void watch_queue(watched_queue& watched, Run const& run, launch_policy const& policy,
                                   std::int64_t items_per_block, Launcher& launcher) {
    auto const& queue = run.template queue<Task>();
    run_control& control = *run.control;
    std::uint64_t const started = Machine::load_relaxed(&queue.statistics->started_blocks);
    std::uint64_t const now = launcher.now();
    if (started != watched.started_blocks || started == watched.launched_blocks) {
        watched.started_blocks = started;
        watched.last_progress = now;
    } else if (now - watched.last_progress > policy.stall_nanoseconds) {
        return stop_run<Machine, Task>(run, failure_kind::stalled,
                                       static_cast<std::int64_t>(policy.stall_nanoseconds / 1000000));
    }
    if (!control.template phase_open<Machine>(task_phase<Task>())) return;
    // Blocks that have not started yet will each draw a block's worth.
    std::int64_t const promised = static_cast<std::int64_t>(watched.launched_blocks - started) * items_per_block;
    std::int64_t const blocks = blocks_to_launch(queue.template approximate_fill<Machine>() - promised, items_per_block,
                                                 Machine::load_relaxed(&control.running_blocks), policy);
    if (blocks == 0) return;
    Machine::add_relaxed(&control.running_blocks, blocks);
    int const code = launcher.template launch<Task>(blocks);
    if (code == 0) {
        watched.launched_blocks += static_cast<std::uint64_t>(blocks);
        Machine::add_relaxed(&queue.statistics->launches, std::uint64_t{1});
        return;
    }
    Machine::add_relaxed(&control.running_blocks, -blocks);
    if (code != launch_later) stop_run<Machine, Task>(run, failure_kind::launch_failed, code);
}

/// One lane of the controller warp: watches the queue with the lane's number until nothing is outstanding.
/// `threads` is the size of a launched block. launcher.launch<Task>(blocks) starts blocks that run drain_queue<Task>;
/// launcher.now() is a clock in nanoseconds.
template <class Machine, class Run, class Launcher>
COPSE_HOST_DEVICE void control_lane(int lane, int threads, Run const& run, launch_policy const& policy,
                                    Launcher& launcher) {
    static_assert(Run::task_count <= 32, "copse: the device controller watches at most 32 task types, one per lane");
    if (lane >= Run::task_count) return;
    watched_queue watched{0, 0, launcher.now()};
    while (!run.control->template finished<Machine>() && !run.control->template stopped<Machine>()) {
        Run::with_task(lane, [&]<class Task>() {
            watch_queue<Machine, Task>(watched, run, policy, threads / Task::width, launcher);
        });
        Machine::pause();
    }
}

/// What the host controller looks at between launches.
template <int TaskCount>
struct run_snapshot {
    std::int64_t fill[TaskCount];  // 0 while the queue's phase is closed
    bool finished;
};

template <class Machine, class Run>
COPSE_HOST_DEVICE run_snapshot<Run::task_count> look(Run const& run) {
    run_snapshot<Run::task_count> seen{};
    Run::any_task([&]<class Task>() {
        if (run.control->template phase_open<Machine>(task_phase<Task>()))
            seen.fill[Run::template index<Task>] = run.template queue<Task>().template approximate_fill<Machine>();
        return false;
    });
    seen.finished = run.control->template finished<Machine>() || run.control->template stopped<Machine>();
    return seen;
}

}  // namespace detail
}  // namespace copse
