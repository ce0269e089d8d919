// A run on an emulated grid, for each of the controllers. What needs the tasks' types is what their blocks do; the
// controllers see facts and counters.
#pragma once

#include <atomic>
#include <copse/runtime/emulated/options.hpp>
#include <copse/runtime/emulated/worker.hpp>
#include <copse/runtime/scheduler/controller.hpp>
#include <copse/runtime/scheduler/run_storage.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace copse::detail {

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

/// What the lanes of a run's blocks do.
struct emulated_bodies {
    using body = void (*)(emulated_lane& lane, void const* view, std::int32_t launch);
    void const* view;
    std::vector<body> drain_queue;  // for each task
    body drain_all;
};

template <class Machine, class... Tasks>
emulated_bodies bodies_of(run_view<Machine, Tasks...> const& view) {
    using run = run_view<Machine, Tasks...>;
    auto const drain_one = []<class Task>(std::type_identity<Task>) -> emulated_bodies::body {
        return [](emulated_lane& lane, void const* of, std::int32_t launch) {
            emulated_block block(lane, launch);
            drain_queue<Task>(block, *static_cast<run const*>(of));
        };
    };
    return {&view, {drain_one(std::type_identity<Tasks>())...}, [](emulated_lane& lane, void const* of, std::int32_t) {
                emulated_block block(lane, 0);
                drain_all_queues(block, *static_cast<run const*>(of), lane.block.index);
            }};
}

/// Launches of an executor, in all its runs: for launch_faults.
struct launch_counts {
    std::atomic<std::int64_t> attempts{0};
    std::atomic<std::int64_t> launches{0};
};

/// Threads of a block: as wide as the widest worker, and a warp at least.
int emulated_threads(fact_list tasks);
/// Bytes of scratch memory with which a block of so many threads can run each of the tasks.
std::size_t emulated_scratch_bytes(fact_list tasks, int threads);

/// The whole run, by the options' controller. Throws what a lane throws, and error where an item was lost.
void run_emulated(emulated_grid& grid, run_layout const& layout, fact_list tasks, emulated_bodies const& bodies,
                  emulated_options const& options, launch_counts& counts);

}  // namespace copse::detail
