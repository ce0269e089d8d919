// Runs functions as lanes of an emulated grid, below the level of tasks: for tests of what tasks are made of.
#pragma once

#include <copse/runtime/emulated/grid.hpp>
#include <copse/runtime/emulated/lane_fiber.hpp>
#include <functional>

namespace copse::tests {

/// Calls work(lane) on `lanes` lanes of one block, interleaved as `seed` wants it.
inline void explore_lanes(std::uint64_t seed, int lanes, std::function<void(detail::emulated_lane&)> const& work) {
    static detail::fiber_pool fibers;
    auto const grid = detail::make_explore_grid(
        {.seed = seed, .resident_blocks = 1, .threads = lanes, .scratch_bytes = 0, .step_limit = 1'000'000}, fibers);
    grid->launch(1, work);
    grid->drain();
}

}  // namespace copse::tests
