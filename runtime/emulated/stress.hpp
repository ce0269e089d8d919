// Stress mode: every lane is a thread, so that the thread sanitizer sees the lanes' accesses as they are.
#pragma once

#include <copse/runtime/emulated/grid.hpp>
#include <memory>

namespace copse::detail {

std::unique_ptr<emulated_grid> make_stress_grid(emulated_grid_options const& options);

}  // namespace copse::detail
