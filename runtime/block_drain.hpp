// How a block of threads works through queues: one source for the gpu's kernels and for the emulated executor.
//
// A block offers:
//   machine               its atomic operations
//   thread_rank(), thread_count()
//   sync()                all its threads arrive; writes before are visible after
//   shared()              a block_shared that its threads share
//   worker<Task>(run)     the calling thread's worker: threads rank .. rank + width - 1 of the block work together;
//                         its `leave()` is called when the task function has returned
//   nanoseconds()         a clock
#pragma once

#include <copse/runtime/run_view.hpp>

namespace copse::detail {

/// What of this is the leader's alone is here and not in registers, which every task would have less of.
struct block_shared {
    queue_claim claim;
    bool drop;  // the run has failed: items are drawn and dropped
    std::int32_t chosen_queue;
    std::int32_t last_queue;  // the leader's
    std::uint64_t start;      // the leader's: of the batch
};

/// Where a batch keeps what it needs when the task function has returned. In shared memory is right where many tasks are
/// one kernel; kernels of one task had fewer registers to spare without, by what nvcc makes of addresses.
enum class batch_memory { registers, shared };

/// One batch of Task's queue: as many items as the block has workers for. Collective over the block.
template <class Task, batch_memory Memory, class Block, class Run>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE claim_status drain_batch(Block& block, Run const& run) {
    using machine = typename Block::machine;
    auto const& queue = run.template queue<Task>();
    block_shared& shared = block.shared();
    bool const leader = block.thread_rank() == 0;
    if (leader) {
        bool const open =
            !run.control->template stopped<machine>() && run.control->template phase_open<machine>(task_phase<Task>());
        shared.claim =
            open ? queue.template try_claim<machine>(static_cast<std::uint32_t>(block.thread_count() / Task::width))
                 : queue_claim{0, 0, claim_source::main, claim_status::empty};
        shared.drop = run.control->template failed<machine>();
    }
    block.sync();
    queue_claim const claim = shared.claim;
    bool const drop = shared.drop;
    if (claim.status != claim_status::claimed) {
        block.sync();  // before the leader writes the next claim
        return claim.status;
    }
    std::uint64_t const start = leader ? block.nanoseconds() : 0;
    if (leader && Memory == batch_memory::shared) shared.start = start;

    auto const slot = static_cast<std::uint32_t>(block.thread_rank() / Task::width);
    bool const busy = slot < claim.count;
    auto worker = block.template worker<Task>(run);
    typename Task::item item{};
    if (busy) item = queue.template read<machine>(claim, slot);
    block.sync();  // every lane has its copy
    if (busy && worker.rank() == 0) queue.template release<machine>(claim, slot);
    if (leader) queue.template give_back<machine>(claim);
    block.sync();  // before any lane pushes: what they work on no longer takes room in the queue

    if (busy && !drop) {
        run.template task<Task>()(item, worker);
        worker.leave();
    }
    block.sync();
    if (leader) {
        bool constexpr in_registers = Memory == batch_memory::registers;
        std::uint32_t const items = in_registers ? claim.count : shared.claim.count;
        std::uint64_t const begin = in_registers ? start : shared.start;
        machine::add_relaxed(&queue.statistics->items, std::uint64_t{items});
        machine::add_relaxed(&queue.statistics->batches, std::uint64_t{1});
        machine::add_relaxed(&queue.statistics->nanoseconds, block.nanoseconds() - begin);
        // After the block's sync: the release covers what all its threads wrote.
        run.control->template finish<machine>(task_phase<Task>(), items);
    }
    return claim_status::claimed;
}

/// What a block launched for one queue does: draws until the queue is empty, then leaves. It never waits for work.
template <class Task, class Block, class Run>
COPSE_HOST_DEVICE void drain_queue(Block& block, Run const& run) {
    using machine = typename Block::machine;
    if (block.thread_rank() == 0)
        machine::add_relaxed(&run.template queue<Task>().statistics->started_blocks, std::uint64_t{1});
    while (drain_batch<Task, batch_memory::registers>(block, run) != claim_status::empty) {
    }
    block.sync();
    if (block.thread_rank() == 0) machine::add_acq_rel(&run.control->running_blocks, std::int64_t{-1});
}

/// The first queue at or after `first`, cyclically, that may be drawn from and seems to hold something; -1 if none.
template <class Machine, class Run>
COPSE_HOST_DEVICE int choose_queue(Run const& run, int first) {
    int before = -1;
    int after = -1;
    Run::any_task([&]<class Task>() {
        int constexpr index = Run::template index<Task>;
        // Not through a reference to one of the two: that puts both into local memory on the GPU.
        if ((index < first ? before : after) < 0 &&
            run.template queue<Task>().template approximate_fill<Machine>() > 0 &&
            run.control->template phase_open<Machine>(task_phase<Task>())) {
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

/// What a resident block does: draws from all queues, backs off while there is nothing, leaves when nothing is
/// outstanding.
template <class Block, class Run>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void drain_all_queues(Block& block, Run const& run, int first_queue) {
    using machine = typename Block::machine;
    int constexpr none = -1, leave = -2;
    block_shared& shared = block.shared();
    if (block.thread_rank() == 0) shared.last_queue = first_queue % Run::task_count;
    int waits = 0;
    while (true) {
        if (block.thread_rank() == 0) {
            int chosen =
                run.control->template stopped<machine>() ? leave : choose_queue<machine>(run, shared.last_queue);
            if (chosen == none && run.control->template finished<machine>()) chosen = leave;
            if (chosen >= 0) shared.last_queue = chosen;
            shared.chosen_queue = chosen;
        }
        block.sync();
        int const chosen = shared.chosen_queue;
        block.sync();
        if (chosen == leave) return;
        if (chosen == none) {
            wait_for_work<machine>(waits++);
            continue;
        }
        waits = 0;
        Run::with_task(chosen, [&]<class Task>() {
            while (drain_batch<Task, batch_memory::shared>(block, run) == claim_status::claimed) {
            }
        });
    }
}

}  // namespace copse::detail
