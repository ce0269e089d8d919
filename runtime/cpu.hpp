// The cpu executor: threads that draw from the queues until nothing is outstanding.
//
//   copse::cpu cpu;                 // a thread for each processor that this process may use
//   auto report = copse::run(cpu, copse::seed<visit>(root), visit{...}, finish{...});
//
// Tasks of higher priority are preferred (task.hpp), and of these the ones listed first. Tasks run concurrently, each
// on one thread, with the floating-point environment of the thread that called run(). Items run in no certain order:
// where others have enough to do, a thread runs what an item pushes to its own queue before what waits there.
//
// fork(): a child may use the library and the objects of its parent, if no thread of the parent was in a call of the
// library when the parent forked. In a child:
// - A cpu executor of the parent starts new threads at its first run. If the system starts fewer than the parent had,
//   the run goes on with those. An emulated executor works as in the parent.
// - Conversions, readers, generators and products without a cpu executor run on one thread: OpenMP's threads do not
//   exist in a child.
// - A gpu executor throws cuda_error if the parent had used CUDA.
// - Destructors of the parent's objects do not wait.
#pragma once

#include <algorithm>
#include <chrono>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu/thread_team.hpp>
#include <copse/runtime/cpu/worker.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/scheduler/host_run.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>

namespace copse {

/// Returns how many processors this process may use, the default number of threads, 1 or more: as many as its affinity
/// allows (taskset, sched_setaffinity), but no more than its control groups grant it CPU time for (docker run --cpus,
/// Kubernetes limits, CPUQuota of systemd). A quota of 1.5 processors counts as 2. Each call reads the affinity; only
/// the first call reads the quota. Thread-safe.
int usable_processors();

/// From now on the calling thread's work without a cpu executor (conversions, readers, generators) runs on up to
/// `threads` threads, even if there are fewer processors. 0: as many as OMP_NUM_THREADS or omp_set_num_threads() say;
/// if neither was set, usable_processors(). Returns the previous number.
int set_loop_threads(int threads) noexcept;

/// Moves, does not copy. Every use of an executor that was moved from throws argument_error. Several threads may use
/// one executor: their runs take turns.
class cpu {
  public:
    /// threads == 0: as many as usable_processors() says, or fewer if the system does not start that many. Results of
    /// operations lie in `memory`, which the host must be able to read; null: host_memory(). Throws argument_error if
    /// `threads` is negative, if the system starts fewer threads than a `threads` above 0 asks for, or if `memory` is a
    /// device's.
    explicit cpu(int threads = 0, std::shared_ptr<copse::memory> memory = nullptr);

    int threads() const { return team_of(*this).size(); }
    std::shared_ptr<copse::memory> const& memory() const {
        detail::unless_moved_from(team_, "cpu");
        return memory_;
    }

  private:
    friend detail::thread_team& team_of(cpu const& executor) {
        return *detail::unless_moved_from(executor.team_, "cpu");
    }

    std::unique_ptr<detail::thread_team> team_;
    std::shared_ptr<copse::memory> memory_;
};

namespace detail {

using run_clock = std::chrono::steady_clock;

/// The first exception that a task function threw.
class exception_slot {
  public:
    void keep(std::exception_ptr e) {
        std::scoped_lock const lock(mutex_);
        if (!first_) first_ = std::move(e);
    }
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }

  private:
    std::mutex mutex_;
    std::exception_ptr first_;
};

/// Counts a batch of the task with that index, which began at `start`.
void count_cpu_batch(cpu_thread const& thread, int task, queue_statistics& statistics, std::uint32_t items,
                     run_clock::time_point start);

/// Items of Task's queue that a thread has claimed.
template <class Task>
struct claimed_items {
    typename Task::item items[cpu_batch_items];
    std::uint32_t count;
    std::uint32_t next = 0;
    int batches = 0;  // begun since the claim
};
// Then what a thread has kept goes to the queue, and it claims again: items that push each other without end must not
// keep those from running that could end them.
inline constexpr int most_batches_of_claim = 256;

/// Runs one batch: what this thread has kept, if `deep`, and claimed items. Returns `deep` for the next batch.
template <class Task, class Run>
bool cpu_batch(cpu_thread_state<Run>& state, claimed_items<Task>& claimed, bool deep, exception_slot& thrown) {
    Run const& run = state.run;
    std::uint32_t const known = claimed.count - claimed.next + (deep ? state.template kept<Task>() : 0);
    std::optional<nvtx_range> range;
    if (state.is_seen) range.emplace(nvtx_room::runtime, range_name<Task>(), std::min(known, cpu_batch_items));
    auto const start = run_clock::now();
    std::uint32_t done = 0;
    try {
        cpu_worker<Task, Run> worker(state);
        std::uint32_t next = claimed.next;
        for (; done < cpu_batch_items && !run.control->failed(); ++done) {
            typename Task::item item;
            if (deep && state.template kept<Task>() > 0)
                item = state.template pop<Task>();
            else if (next < claimed.count)
                item = claimed.items[next++];
            else
                break;
            task_of<Task>(run)(item, worker);
        }
        claimed.next = next;
    } catch (...) {
        thrown.keep(std::current_exception());
        run.control->fail(failure_kind::task_failed, Run::template index<Task>, 0, 0, 0);
    }
    state.template flush_others<Task>();
    bool const keep = ++claimed.batches < most_batches_of_claim && state.template may_keep<Task>();
    if (!keep) state.template flush<Task>();
    count_cpu_batch(state, Run::template index<Task>, *queue_of<Task>(run).statistics, done, start);
    return keep;
}

/// Claims items of Task's queue and runs them, and what this thread keeps of what they push. False if there was nothing
/// to claim.
template <class Task, class Run>
bool cpu_batches(cpu_thread_state<Run>& state, exception_slot& thrown) {
    Run const& run = state.run;
    auto const& queue = queue_of<Task>(run);
    if (!run.control->phase_open(task_phase<Task>())) return false;
    // A claim is a portion of the waiting items, so that no thread is idle while another holds many, and at most a
    // batch, so that all threads end at about the same time.
    claim_size const portion{1, cpu_batch_items, state.threads};
    // Items that are dropped need no time each: a range then goes by half of what is left of it.
    bool const drops = run.control->failed();
    queue_claim const claim = queue.try_claim(portion, drops ? claim_size{1, std::uint32_t{1} << 31, 1} : portion);
    if (claim.status != claim_status::claimed) return claim.status == claim_status::contended;
    if (drops && claim.source == claim_source::range) {
        run.control->finish(task_phase<Task>(), claim.count);
        return true;
    }

    claimed_items<Task> claimed;
    claimed.count = claim.count;
    for (std::uint32_t i = 0; i < claim.count; ++i) {
        claimed.items[i] = queue.read(claim, i);
        queue.release(claim, i);
    }
    queue.give_back(claim);
    bool deep = state.template may_keep<Task>();
    do {
        deep = cpu_batch(state, claimed, deep, thrown);
    } while (!run.control->failed() && (claimed.next < claimed.count || state.template kept<Task>() > 0));
    state.template flush<Task>();
    // Only now, because nothing else counts what this thread keeps as outstanding.
    run.control->finish(task_phase<Task>(), claim.count);
    return true;
}

/// Until nothing is outstanding. work(state): runs what it finds, tasks of higher priority first; false if that is
/// nothing.
void cpu_work(cpu_thread& state, bool (*work)(cpu_thread& state, exception_slot& thrown), exception_slot& thrown);

template <class Run>
void cpu_work(Run const& run, int thread, int threads, exception_slot& thrown) {
    cpu_thread_state<Run> own(run, thread, threads);
    cpu_work(
        own,
        [](cpu_thread& of, exception_slot& to) {
            auto& state = static_cast<cpu_thread_state<Run>&>(of);
            return Run::any_task_by_priority([&]<class Task>() { return cpu_batches<Task>(state, to); });
        },
        thrown);
}

}  // namespace detail

/// Runs the seeds, and all items that tasks push, to the end. Waits.
/// Every task type that is pushed or seeded must be among `tasks`, once.
/// Throws argument_error for capacities out of range, queue_full, task_error, cancelled, worker_misuse if a task
/// function asks for more scratch memory than its task has, and any exception that a task function throws; the executor
/// stays usable.
template <class... Seeded, class... Tasks>
run_report run(cpu& executor, run_options const& options, seed_list<Seeded...> const& seeds, Tasks const&... tasks) {
    (detail::check_task<Tasks>(), ...);
    nvtx_range const range(nvtx_room::runtime, "copse run", detail::seed_count(seeds));
    detail::host_run whole(options, detail::facts_of<Tasks...>(), {"cpu", "", "steady_clock"});
    auto const view = detail::view_of<cpu_machine>(whole.layout(), tasks...);
    if (view.trace) view.trace->begin = static_cast<std::uint64_t>(detail::host_nanoseconds());
    detail::push_seeds(view, seeds);
    detail::exception_slot thrown;
    whole.work(options.stop(), [&] {
        int const threads = executor.threads();
        team_of(executor).run([&](int thread) { detail::cpu_work(view, thread, threads, thrown); });
    });
    if (view.trace) view.trace->end = static_cast<std::uint64_t>(detail::host_nanoseconds());
    whole.end();
    thrown.rethrow();
    return whole.report();
}

template <class... Seeded, class... Tasks>
run_report run(cpu& executor, seed_list<Seeded...> const& seeds, Tasks const&... tasks) {
    return run(executor, run_options(), seeds, tasks...);
}

}  // namespace copse
