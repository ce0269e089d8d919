// Explore mode: every lane is a fiber, all on one thread. At each point a seeded generator decides who goes on.
#pragma once

#include <copse/runtime/emulated_grid.hpp>
#include <copse/runtime/lane_fiber.hpp>
#include <memory>

namespace copse::detail {

struct explore_options {
    std::uint64_t seed;
    int resident_blocks;
    int threads;                // in a block
    std::size_t scratch_bytes;  // of a block
    std::uint64_t step_limit;   // points without progress
};

std::unique_ptr<emulated_grid> make_explore_grid(explore_options const& options, fiber_pool& fibers);

}  // namespace copse::detail
