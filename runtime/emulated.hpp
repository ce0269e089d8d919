// The emulated executor: the GPU's semantics on the CPU, lane by lane, from the sources that the GPU's kernels are made
// of.
//
//   copse::emulated gpu;                                             // explore mode, seed 0
//   copse::emulated gpu({.seed = 17});                               // another interleaving; a seed replays exactly
//   copse::emulated gpu({.mode = copse::emulation::stress});         // threads, for the thread sanitizer
//   auto report = copse::run(gpu, copse::seed<visit>(root), visit{...});
//
// Explore: all lanes are fibers on one thread. Every atomic operation, wait and collective is a point where another
// lane may go on. Stress: every lane is a thread. Both report what a GPU leaves undefined: see worker_misuse in the
// list below.
//
//   a lane that returns while others wait for it in a collective; a collective entered by part of a worker; two at once
//   scratch memory out of bounds; load4 from a misaligned address; push_n with different counts; shuffle from no lane
#pragma once

#include <chrono>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/controller.hpp>
#include <copse/runtime/emulated_worker.hpp>
#include <copse/runtime/run_storage.hpp>
#include <copse/runtime/seed.hpp>
#include <cstdint>
#include <cstring>
#include <memory>

namespace copse {

enum class emulation { explore, stress };

struct emulated_options {
    emulation mode = emulation::explore;
    std::uint64_t seed = 0;
    copse::controller controller = controller::persistent;
    int blocks = 3;  // that run at once
    /// Explore: points without a task function returning, after which the run is taken to be stuck.
    std::uint64_t step_limit = 10'000'000;
};

/// Moves, does not copy. Several threads may use one executor: their runs take turns.
class emulated {
  public:
    /// Throws argument_error for fewer than one block.
    explicit emulated(emulated_options const& options = {});
    emulated(emulated&&) noexcept;
    emulated& operator=(emulated&&) noexcept;
    ~emulated();

    emulated_options const& options() const noexcept;
    std::shared_ptr<copse::memory> const& memory() const noexcept { return host_memory(); }
    /// Of the last run. The same seed gives the same trace.
    detail::emulated_trace last_trace() const;

    /// For `run`: a grid of blocks of `threads` lanes, to be used by `work`; one run at a time.
    void with_grid(int threads, std::size_t scratch_bytes,
                   std::function<void(detail::emulated_grid&)> const& work) const;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

namespace detail {

/// Blocks of the emulated GPU are as wide as the widest worker, and a warp at least.
template <class... Tasks>
constexpr int emulated_threads() {
    int most = 32;
    ((most = Tasks::width > most ? Tasks::width : most), ...);
    return most;
}

template <class... Tasks>
constexpr std::size_t emulated_scratch_bytes() {
    std::size_t most = 0;
    auto of_block = []<class Task>() {
        return task_scratch_bytes<Task>() * (emulated_threads<Tasks...>() / Task::width);
    };
    ((most = of_block.template operator()<Tasks>() > most ? of_block.template operator()<Tasks>() : most), ...);
    return most;
}

template <class Run>
void run_persistent(emulated_grid& grid, Run const& run, int blocks) {
    grid.launch(blocks, [&run](emulated_lane& lane) {
        emulated_block block(lane);
        drain_all_queues(block, run, lane.block.index);
    });
    grid.drain();
}

template <class Run>
void run_emulated(emulated_grid& grid, Run const& run, emulated_options const& options, [[maybe_unused]] int threads) {
    switch (options.controller) {
        case controller::persistent:
            return run_persistent(grid, run, options.blocks);
        case controller::device:
        case controller::host:
            break;
    }
}

}  // namespace detail

/// Runs the seeds, and all that they push, to the end. Waits.
/// Every task type that is pushed or seeded must be among `tasks`, once.
/// Throws queue_full, task_error, worker_misuse, and whatever a task function throws; the executor stays usable.
template <class... Seeded, class... Tasks>
run_report run(emulated& executor, run_options const& options, seed_list<Seeded...> const& seeds,
               Tasks const&... tasks) {
    (detail::check_task<Tasks>(), ...);
    auto const start = std::chrono::steady_clock::now();
    auto const sizes = detail::lay_out(nullptr, options, tasks...);
    buffer<std::byte> memory(executor, static_cast<std::int64_t>(sizes.bytes));
    std::memset(memory.data(), 0, sizes.zero_bytes);
    auto const view = detail::lay_out(memory.data(), options, tasks...).view;

    detail::push_seeds<emulated_machine>(view, seeds);
    int constexpr threads = detail::emulated_threads<Tasks...>();
    executor.with_grid(threads, detail::emulated_scratch_bytes<Tasks...>(), [&](detail::emulated_grid& grid) {
        detail::run_emulated(grid, view, executor.options(), threads);
    });

    detail::throw_failure<Tasks...>(view.control->failure);
    run_report report = detail::make_report(view);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
}

template <class... Seeded, class... Tasks>
run_report run(emulated& executor, seed_list<Seeded...> const& seeds, Tasks const&... tasks) {
    return run(executor, run_options(), seeds, tasks...);
}

}  // namespace copse
