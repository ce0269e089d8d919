// Explore mode: every lane is a fiber, all on one thread. At each point a seeded generator decides who goes on.
#pragma once

#include <copse/runtime/emulated/grid.hpp>
#include <copse/runtime/emulated/lane_fiber.hpp>
#include <memory>

namespace copse::detail {

std::unique_ptr<emulated_grid> make_explore_grid(emulated_grid_options const& options, fiber_pool& fibers);

}  // namespace copse::detail
