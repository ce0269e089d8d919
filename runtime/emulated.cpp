#include <copse/runtime/emulated.hpp>
#include <copse/runtime/emulated_explore.hpp>
#include <copse/runtime/error.hpp>
#include <mutex>

namespace copse {

struct emulated::state {
    emulated_options options;
    std::mutex one_run_at_a_time;
    detail::fiber_pool fibers;
    detail::emulated_trace trace;
};

emulated::emulated(emulated_options const& options) : state_(std::make_unique<state>()) {
    if (options.blocks < 1)
        throw argument_error("emulated: blocks is " + std::to_string(options.blocks) + "; it must be 1 or more");
    state_->options = options;
}

emulated::emulated(emulated&&) noexcept = default;
emulated& emulated::operator=(emulated&&) noexcept = default;
emulated::~emulated() = default;

emulated_options const& emulated::options() const noexcept {
    return state_->options;
}

detail::emulated_trace emulated::last_trace() const {
    std::scoped_lock const lock(state_->one_run_at_a_time);
    return state_->trace;
}

void emulated::with_grid(int threads, std::size_t scratch_bytes,
                         std::function<void(detail::emulated_grid&)> const& work) const {
    std::scoped_lock const lock(state_->one_run_at_a_time);
    emulated_options const& options = state_->options;
    auto const grid = detail::make_explore_grid(
        {options.seed, options.blocks, threads, scratch_bytes, options.step_limit}, state_->fibers);
    work(*grid);
    state_->trace = grid->trace();
}

}  // namespace copse
