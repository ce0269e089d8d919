#include <copse/runtime/emulated.hpp>
#include <copse/runtime/emulated/grid.hpp>
#include <copse/runtime/emulated/lane_fiber.hpp>
#include <copse/runtime/error.hpp>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace copse {

struct emulated::state {
    emulated_options options;
    std::mutex one_run_at_a_time;
    detail::fiber_pool fibers;
    detail::emulated_trace trace;
    detail::launch_counts launches;
    std::vector<detail::watched_memory> watched;
    detail::access_counter accesses;
};

emulated::emulated(emulated_options const& options) : state_(std::make_unique<state>()) {
    int constexpr most_blocks = 4096;  // a GPU of 132 multiprocessors holds 2,112
    if (options.blocks < 1 || options.blocks > most_blocks)
        throw argument_error("emulated: blocks is " + std::to_string(options.blocks) + "; it must be 1 to " +
                             std::to_string(most_blocks));
    detail::check_controller("emulated", options.controller);
    if (!(options.stall_seconds > 0 && options.stall_seconds < 1e9))
        throw argument_error("emulated: stall_seconds is " + std::to_string(options.stall_seconds) +
                             "; it must be more than 0 and less than 1e9");
    if (options.profile && options.mode != emulation::explore)
        throw argument_error(
            "emulated: profile is for explore mode; in stress mode lanes are threads, which are not in step");
    state_->options = options;
    if (!options.memory) state_->options.memory = host_memory();
    if (!options.temporary) state_->options.temporary = host_memory();
}

emulated::emulated(emulated&&) noexcept = default;
emulated& emulated::operator=(emulated&&) noexcept = default;
emulated::~emulated() = default;

emulated::state& emulated::valid_state() const {
    return *detail::unless_moved_from(state_, "emulated");
}

emulated_options const& emulated::options() const {
    return valid_state().options;
}

void emulated::watch(std::string name, void const* data, std::size_t element_bytes, std::int64_t count) {
    state& own = valid_state();
    if (own.options.mode != emulation::explore)
        throw argument_error("emulated: check_races(\"" + name +
                             "\") is for explore mode; in stress mode the thread sanitizer sees races");
    std::scoped_lock const lock(own.one_run_at_a_time);
    own.watched.push_back({std::move(name), static_cast<std::byte const*>(data), element_bytes, count});
}

void emulated::stop_checking_races() {
    state& own = valid_state();
    std::scoped_lock const lock(own.one_run_at_a_time);
    own.watched.clear();
}

access_profile emulated::profile() const {
    state& own = valid_state();
    std::scoped_lock const lock(own.one_run_at_a_time);
    return own.accesses.profile();
}

void emulated::clear_profile() {
    state& own = valid_state();
    std::scoped_lock const lock(own.one_run_at_a_time);
    own.accesses.clear();
}

detail::emulated_trace last_trace(emulated const& executor) {
    emulated::state& own = executor.valid_state();
    std::scoped_lock const lock(own.one_run_at_a_time);
    return own.trace;
}

detail::launch_counts& launch_counts_of(emulated const& executor) {
    return executor.valid_state().launches;
}

void with_grid(emulated const& executor, int threads, std::size_t scratch_bytes,
               std::function<void(detail::emulated_grid&)> const& work) {
    emulated::state& own = executor.valid_state();
    std::scoped_lock const lock(own.one_run_at_a_time);
    emulated_options const& options = own.options;
    detail::emulated_grid_options const grid_options{options.seed,
                                                     options.blocks,
                                                     threads,
                                                     scratch_bytes,
                                                     options.step_limit,
                                                     &own.watched,
                                                     options.profile ? &own.accesses : nullptr};
    auto const grid = options.mode == emulation::explore ? detail::make_explore_grid(grid_options, own.fibers)
                                                         : detail::make_stress_grid(grid_options);
    try {
        work(*grid);
    } catch (...) {
        own.trace = grid->trace();
        own.accesses.finish();
        throw;
    }
    own.trace = grid->trace();
    own.accesses.finish();
}

namespace detail {

void run_on_grid(emulated& executor, host_run& run, emulated_bodies const& bodies, std::stop_token const& stop) {
    int const threads = emulated_threads(run.tasks());
    run.work(stop, [&] {
        with_grid(executor, threads, emulated_scratch_bytes(run.tasks(), threads), [&](emulated_grid& grid) {
            run_emulated(grid, run.layout(), run.tasks(), bodies, executor.options(), launch_counts_of(executor));
        });
    });
    run.end();
}

}  // namespace detail
}  // namespace copse
