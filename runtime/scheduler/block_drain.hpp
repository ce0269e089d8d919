// How a block of threads works through queues: one source for the gpu's kernels and for the emulated executor.
//
// A block offers:
//   thread_rank(), thread_count()
//   sharers(run)          how many blocks may draw from the same queues, itself included
//   should_leave(run, fill, workers)    whether `fill` items are more than the launched blocks should work off alone:
//                         other blocks are launched when they have left
//   sync()                all its threads arrive; writes before are visible after
//   shared()              a block_shared that its threads share
//   items()               block_item_bytes that its threads share
//   next_worker<Task>(run)    the calling thread's worker, which is done with the item before: threads rank .. rank +
//                         width - 1 of the block work together; its `enter()`, if it has one, is called before the
//                         task function, and its `leave()` when that has returned. All threads call it
//   nanoseconds()         a clock
//   place()               for the trace: the launch that the block is of, its number in it, and where it runs
//
// What a thousand blocks count in one place is counted rarely: on an H100 five additions to such places, which a batch
// of a range made, took 11 nanoseconds, for all blocks together. So a block claims many items while there are many, and
// keeps to itself for a while what it has done.
#pragma once

#include <copse/runtime/scheduler/run_view.hpp>
#include <cstddef>

namespace copse::detail {

/// What a block has done and not yet told.
struct block_tally {
    std::uint64_t items;
    std::uint64_t nanoseconds;
    std::uint32_t batches;
};
// Then it is told: what is outstanding shows the device controller that a run goes on, and opens the next phase.
inline constexpr std::uint32_t most_untold_batches = 8;
inline constexpr std::uint64_t most_untold_nanoseconds = 100'000;

/// What of this is the leader's alone is here and not in registers, which every task would have less of.
struct block_shared {
    queue_claim claim;
    bool drop;  // the run has failed: items are drawn and dropped
    std::int32_t chosen_queue;
    std::int32_t last_queue;  // the leader's
    block_tally tally;        // the leader's: of one queue
    std::uint64_t start;      // the leader's: of the batch
};

/// Where a batch keeps what it needs when the task function has returned. In shared memory is right where many tasks
/// are one kernel; kernels of one task had fewer registers to spare without, by what nvcc makes of addresses.
enum class batch_memory { registers, shared };

/// Memory for items that are copied out before their functions run: never more than this, and in a batch of more than
/// one item for each worker no more than half of it.
inline constexpr std::size_t block_item_bytes = 4096;

/// Items of a batch that are copied out: for one worker at most 16. None where even one for each worker takes too much
/// memory, or wants to lie at a multiple of more than 16 bytes: then every lane reads its own.
template <class Task>
COPSE_HOST_DEVICE constexpr int batch_items(int threads) {
    int constexpr bytes = static_cast<int>(sizeof(typename Task::item));
    int const workers = threads / Task::width;
    if (alignof(typename Task::item) > 16 || bytes * workers > static_cast<int>(block_item_bytes)) return 0;
    int const fitting = static_cast<int>(block_item_bytes) / 2 / bytes / workers;
    return workers * (fitting < 1 ? 1 : fitting < 16 ? fitting : 16);
}

/// For the trace, by the leader. count: of a batch, its items.
template <class Block, class Run>
COPSE_HOST_DEVICE void trace_block(Block const& block, Run const& run, trace_kind kind, int queue, std::int64_t count,
                                   std::uint64_t begin, std::uint64_t end) {
    if (run.trace) write_record(*run.trace, kind, queue, count, begin, end, block.place());
}

/// Adds what the block has done of Task's items. By the leader, after a sync: the release covers what all wrote.
template <class Task, class Run>
COPSE_HOST_DEVICE void tell(block_tally& tally, Run const& run) {
    using machine = typename Run::machine;
    if (tally.batches == 0) return;
    auto* const statistics = queue_of<Task>(run).statistics;
    machine::add_relaxed(&statistics->items, tally.items);
    machine::add_relaxed(&statistics->batches, std::uint64_t{tally.batches});
    machine::add_relaxed(&statistics->nanoseconds, tally.nanoseconds);
    run.control->finish(task_phase<Task>(), static_cast<std::int64_t>(tally.items));
    tally = {};
}

/// A block's workers, and the items of a batch that it copies out.
template <class Task, class Block>
COPSE_HOST_DEVICE std::uint32_t workers_of(Block const& block) {
    return static_cast<std::uint32_t>(block.thread_count() / Task::width);
}
template <class Task, class Block>
COPSE_HOST_DEVICE std::uint32_t copied_items(Block const& block) {
    return static_cast<std::uint32_t>(batch_items<Task>(block.thread_count()));
}

/// By the leader: what the block may draw is in shared().claim. What was done is told when there is nothing to claim.
template <class Task, class Block, class Run>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void claim_batch(Block& block, Run const& run, bool may_leave) {
    auto const& queue = queue_of<Task>(run);
    block_shared& shared = block.shared();
    std::uint32_t const workers = workers_of<Task>(block), at_hand = copied_items<Task>(block);
    bool const open = !run.control->stopped() && run.control->phase_open(task_phase<Task>()) &&
                      !(may_leave && block.should_leave(run, queue.approximate_fill(), workers));
    shared.claim = open ? queue.try_claim(claim_size{workers, at_hand == 0 ? workers : at_hand, block.sharers(run)},
                                          claim_size{workers, 64 * workers, block.sharers(run)})
                        : queue_claim{0, 0, claim_source::ring, claim_status::empty};
    shared.drop = run.control->failed();
    // The claimed items' room goes back to the queue now, before they are copied out. A producer that gets a slot waits
    // in `write` until copy_batch() has copied the old item out of it.
    if (shared.claim.status == claim_status::claimed)
        queue.give_back(shared.claim);
    else
        tell<Task>(shared.tally, run);
}

/// Copies the claim's items out of the queue: to items(), for all workers; or, where these are too large for that, each
/// lane's worker's to its result. Ranges need no copy.
template <class Task, class Block, class Run>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE typename Task::item copy_batch(Block& block, Run const& run,
                                                                    queue_claim const& claim, std::uint32_t slot) {
    auto const& queue = queue_of<Task>(run);
    typename Task::item own{};
    if (copied_items<Task>(block) == 0) {
        if (slot < claim.count) own = queue.read(claim, slot);
        block.sync();  // every lane has its copy
        if (slot < claim.count && block.thread_rank() % Task::width == 0) queue.release(claim, slot);
    } else if (claim.source != claim_source::range) {
        auto* const items = reinterpret_cast<typename Task::item*>(block.items());
        COPSE_NO_UNROLL
        for (auto i = static_cast<std::uint32_t>(block.thread_rank()); i < claim.count;
             i += static_cast<std::uint32_t>(block.thread_count())) {
            items[i] = queue.ring.read(claim.first + i);
            queue.ring.release(claim.first + i);
        }
        block.sync();
    }
    return own;
}

/// Calls the task function for the claim's items, a worker for each at a time. `own`: copy_batch()'s result.
template <class Task, class Block, class Run>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void work_off_batch(Block& block, Run const& run, queue_claim const& claim,
                                                         std::uint32_t slot, typename Task::item& own) {
    auto* const items = reinterpret_cast<typename Task::item*>(block.items());
    std::uint32_t const workers = workers_of<Task>(block);
    COPSE_NO_UNROLL
    for (std::uint32_t first = 0; first < claim.count; first += workers) {
        auto worker = block.template next_worker<Task>(run);
        if (std::uint32_t const i = first + slot; i < claim.count && !block.shared().drop) {
            if (claim.source == claim_source::range)
                own = queue_of<Task>(run).item_of_range(claim.first + i);
            else if (copied_items<Task>(block) != 0)
                own = items[i];
            if constexpr (requires { worker.enter(own, claim, i); }) worker.enter(own, claim, i);
            task_of<Task>(run)(own, worker);
            worker.leave();
        }
    }
}

/// By the leader: a batch that took from `start` to now is done, and is told with others.
template <class Task, class Block, class Run>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void count_batch(Block& block, Run const& run, std::uint32_t items,
                                                      std::uint64_t start) {
    block_tally& tally = block.shared().tally;
    tally.items += items;
    std::uint64_t const end = block.nanoseconds();
    tally.nanoseconds += end - start;
    trace_block(block, run, trace_kind::batch, Run::template index<Task>, items, start, end);
    if (++tally.batches == most_untold_batches || tally.nanoseconds > most_untold_nanoseconds) tell<Task>(tally, run);
}

/// One batch of Task's queue; none where the block may leave and should. Collective over the block.
template <class Task, batch_memory Memory, class Block, class Run>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE claim_status drain_batch(Block& block, Run const& run, bool may_leave) {
    block_shared& shared = block.shared();
    bool const leader = block.thread_rank() == 0;
    if (leader) claim_batch<Task>(block, run, may_leave);
    block.sync();
    queue_claim const& claim = shared.claim;  // there, and not in registers, while task functions run
    if (claim.status != claim_status::claimed) {
        claim_status const status = claim.status;
        block.sync();  // before the leader writes the next claim
        return status;
    }
    std::uint64_t const start = leader ? block.nanoseconds() : 0;
    if (leader && Memory == batch_memory::shared) shared.start = start;
    auto const slot = static_cast<std::uint32_t>(block.thread_rank() / Task::width);
    auto own = copy_batch<Task>(block, run, claim, slot);
    work_off_batch<Task>(block, run, claim, slot, own);
    block.sync();
    if (leader) count_batch<Task>(block, run, claim.count, Memory == batch_memory::registers ? start : shared.start);
    return claim_status::claimed;
}

/// What a block launched for one queue does: draws until the queue is empty, or has become so full that more blocks
/// should, then leaves. It never waits for work.
template <class Task, class Block, class Run>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void drain_queue(Block& block, Run const& run) {
    using machine = typename Run::machine;
    int constexpr queue = Run::template index<Task>;
    if (block.thread_rank() == 0) {
        machine::add_relaxed(&queue_of<Task>(run).statistics->started_blocks, std::uint64_t{1});
        block.shared().tally = {};
        if (run.trace) trace_block(block, run, block_begins, queue, 0, block.nanoseconds(), 0);
    }
    bool has_worked = false;
    while (drain_batch<Task, batch_memory::registers>(block, run, has_worked) != claim_status::empty) has_worked = true;
    block.sync();
    if (block.thread_rank() == 0) {
        if (run.trace) trace_block(block, run, block_ends, queue, 0, block.nanoseconds(), 0);
        machine::add_acq_rel(&run.control->running_blocks, std::int64_t{-1});
    }
}

/// The first queue at or after `first`, cyclically, that may be drawn from and seems to hold something; -1 if none.
/// If tasks have different priorities: the first such queue of the highest priority among them.
template <class Run>
COPSE_HOST_DEVICE int choose_queue(Run const& run, int first) {
    int before = -1;
    int after = -1;
    [[maybe_unused]] int found = 0;  // the priority of the queues in `before` and `after`
    Run::any_task_by_priority([&]<class Task>() {
        int constexpr index = Run::template index<Task>;
        if constexpr (Run::has_priorities)
            if ((before >= 0 || after >= 0) && task_priority<Task>() < found) return true;
        // Not through a reference to one of the two: that puts both into local memory on the GPU.
        if ((index < first ? before : after) < 0 && queue_of<Task>(run).approximate_fill() > 0 &&
            run.control->phase_open(task_phase<Task>())) {
            if constexpr (Run::has_priorities) found = task_priority<Task>();
            if (index < first)
                before = index;
            else
                after = index;
        }
        return false;
    });
    return after >= 0 ? after : before;
}

/// The waits-th wait in a row for somebody to push something. A machine may wait longer each time.
template <class Machine>
COPSE_HOST_DEVICE void wait_for_work(int waits) {
    if constexpr (requires { Machine::pause(waits); })
        Machine::pause(waits);
    else
        Machine::pause();
}

/// For the trace, by the leader: the block waits, after `waits` waits in a row, or goes on to something else. Its first
/// wait's time is kept in shared().start, which belongs to batches otherwise.
template <class Block, class Run>
COPSE_HOST_DEVICE void trace_wait(Block& block, Run const& run, bool is_waiting, int waits) {
    if (is_waiting == (waits > 0)) return;  // it went on waiting, or working
    std::uint64_t const now = block.nanoseconds();
    if (is_waiting)
        block.shared().start = now;
    else
        trace_block(block, run, trace_kind::wait, -1, 0, block.shared().start, now);
}

/// What a resident block does: draws from all queues, backs off while there is nothing, leaves when nothing is
/// outstanding.
template <class Block, class Run>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void drain_all_queues(Block& block, Run const& run, int first_queue) {
    int constexpr none = -1, leave = -2;
    block_shared& shared = block.shared();
    if (block.thread_rank() == 0) {
        shared.last_queue = first_queue % Run::task_count;
        shared.tally = {};
        if (run.trace) trace_block(block, run, block_begins, -1, 0, block.nanoseconds(), 0);
    }
    int waits = 0;
    while (true) {
        if (block.thread_rank() == 0) {
            int chosen = run.control->stopped() ? leave : choose_queue(run, shared.last_queue);
            if (chosen == none && run.control->finished()) chosen = leave;
            if (chosen >= 0) shared.last_queue = chosen;
            shared.chosen_queue = chosen;
            if (run.trace) {
                trace_wait(block, run, chosen == none, waits);
                if (chosen == leave) trace_block(block, run, block_ends, -1, 0, block.nanoseconds(), 0);
            }
        }
        block.sync();
        int const chosen = shared.chosen_queue;
        block.sync();
        if (chosen == leave) return;
        if (chosen == none) {
            wait_for_work<typename Run::machine>(waits++);
            continue;
        }
        waits = 0;
        Run::with_task(chosen, [&]<class Task>() COPSE_FORCE_INLINE_LAMBDA {
            bool constexpr one_batch = Run::has_priorities && !Run::template is_of_highest_priority<Task>;
            while (drain_batch<Task, batch_memory::shared>(block, run, false) == claim_status::claimed && !one_batch) {
            }
            // What was done is of one queue, and the next may be another.
            if constexpr (one_batch)
                if (block.thread_rank() == 0) tell<Task>(shared.tally, run);
        });
    }
}

}  // namespace copse::detail
