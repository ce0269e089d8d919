// The emulated executor: it runs the sources of the GPU's kernels on the CPU, lane by lane, with the GPU's semantics.
//
//   copse::emulated gpu;                                             // explore mode, seed 0
//   copse::emulated gpu({.seed = 17});                               // another interleaving; a seed replays exactly
//   copse::emulated gpu({.mode = copse::emulation::stress});         // threads, for the thread sanitizer
//   auto report = copse::run(gpu, copse::seed<visit>(root), visit{...});
//   gpu.check_races("y", y);                                         // each run then names lanes that race on y
//   copse::emulated gpu({.profile = true});                          // counts accesses to memory
//   std::puts(to_text(gpu.profile()).c_str());
//
// emulated/options.hpp has all options. controller is `device`, `persistent` or `host`, as for a gpu.
//
// If a task function does what a GPU leaves undefined, the run ends with worker_misuse, which names task and lane:
// - A lane returns while others wait for it.
// - A part of a worker's lanes enters a collective, or the lanes enter two different collectives at once.
// - A lane uses scratch memory out of bounds or in an open tile, or loads a vector from a misaligned address.
// - A task function asks for more scratch memory, or opens more tiles, than the task's scratch_bytes hold.
// - The lanes pass different counts to push_n, or shuffle from a lane that does not exist.
#pragma once

#include <copse/runtime/emulated/options.hpp>
#include <copse/runtime/emulated/run.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/scheduler/host_run.hpp>
#include <copse/runtime/trace.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace copse {

/// Moves, does not copy. Every use of an executor that was moved from throws argument_error. Several threads may use
/// one executor: their runs take turns.
class emulated {
  public:
    /// Throws argument_error if `blocks` is not 1 to 4,096, if `stall_seconds` is not positive or not below 1e9, for a
    /// controller that is none, and for `profile` in stress mode, where lanes are not in step.
    explicit emulated(emulated_options const& options = {});
    emulated(emulated&&) noexcept;
    emulated& operator=(emulated&&) noexcept;
    ~emulated();

    emulated_options const& options() const;
    std::shared_ptr<copse::memory> const& memory() const { return options().memory; }
    std::shared_ptr<copse::memory> const& temporary() const { return options().temporary; }

    /// Explore mode: each run from now on looks for races on the elements of `memory`, a vector, span or buffer, which
    /// must live until stop_checking_races(). It throws worker_misuse, which names both lanes, if two lanes wrote one
    /// element, one of them without w.add() or the like, and nothing ordered them (runtime/worker.hpp says what does).
    /// The memory is compared when another lane goes on: a write that leaves the same bits is not seen, nor is a read.
    /// `name` is for the message. May be called for several memories. The more bytes, the slower is each run.
    /// Throws argument_error in stress mode, where the thread sanitizer sees races.
    template <class Memory>
    void check_races(std::string name, Memory&& memory) {
        watch(std::move(name), memory.data(), sizeof(*memory.data()), static_cast<std::int64_t>(memory.size()));
    }
    void stop_checking_races();

    /// What the runs since the last clear_profile() did in memory, line by line of their tasks
    /// (runtime/trace.hpp); runs that failed, too. Empty without emulated_options::profile.
    access_profile profile() const;
    void clear_profile();

  private:
    /// Returns the trace of the last run. In explore mode the same seed gives the same trace.
    friend detail::emulated_trace last_trace(emulated const& executor);
    friend detail::launch_counts& launch_counts_of(emulated const& executor);
    /// Calls `work` with a grid for one run.
    friend void with_grid(emulated const& executor, int threads, std::size_t scratch_bytes,
                          std::function<void(detail::emulated_grid&)> const& work);

    void watch(std::string name, void const* data, std::size_t element_bytes, std::int64_t count);

    struct state;
    state& valid_state() const;
    std::unique_ptr<state> state_;
};

namespace detail {

/// Runs what the seeds begin to its end.
void run_on_grid(emulated& executor, host_run& run, emulated_bodies const& bodies, std::stop_token const& stop);

}  // namespace detail

/// Runs the seeds, and all items that tasks push, to the end. Waits.
/// Every task type that is pushed or seeded must be among `tasks`, once.
/// Lanes have the caller's floating-point environment. In explore mode the report's times per queue are counted in
/// points, a microsecond each.
/// Throws argument_error for capacities out of range, queue_full, task_error, cancelled, worker_misuse, stalled,
/// cuda_error for an emulated launch that failed, and any exception that a task function throws; the executor stays
/// usable. Throws error if no task function has returned for emulated_options::step_limit points (explore), and if the
/// system does not start a thread for each lane (stress).
template <class... Seeded, class... Tasks>
run_report run(emulated& executor, run_options const& options, seed_list<Seeded...> const& seeds,
               Tasks const&... tasks) {
    (detail::check_task<Tasks>(), ...);
    nvtx_range const range(nvtx_room::runtime, "copse run", detail::seed_count(seeds));
    auto const& chosen = executor.options();
    detail::host_run whole(options, detail::facts_of<Tasks...>(),
                           {"emulated", detail::name_of(chosen.controller),
                            chosen.mode == emulation::explore ? "points" : "steady_clock"});
    auto const view = detail::view_of<emulated_machine>(whole.layout(), tasks...);
    detail::push_seeds(view, seeds);
    detail::run_on_grid(executor, whole, detail::bodies_of(view), options.stop());
    return whole.report();
}

template <class... Seeded, class... Tasks>
run_report run(emulated& executor, seed_list<Seeded...> const& seeds, Tasks const&... tasks) {
    return run(executor, run_options(), seeds, tasks...);
}

}  // namespace copse
