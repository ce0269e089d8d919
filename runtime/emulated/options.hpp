// How the emulated executor runs: mode, seed, controller, and what goes wrong with launches.
#pragma once

#include <copse/runtime/memory.hpp>
#include <copse/runtime/scheduler/controller.hpp>
#include <cstdint>
#include <memory>

namespace copse {

/// explore: lanes are fibers on one thread, and the seed decides at every atomic operation, wait and collective who
/// goes on. stress: lanes are threads, for the thread sanitizer.
enum class emulation { explore, stress };

/// What goes wrong with kernel launches. They are counted from 0 over all runs of the executor, so that a launch that
/// fails once fails one run; the persistent controller makes one in each run. For tests of what then happens.
struct launch_faults {
    std::int64_t busy_every = 0;  // not persistent: each so manieth attempt finds no room for another; 0: none does
    std::int64_t failing = -1;    // this launch fails, with
    int code = 1;                 // this CUDA error
    std::int64_t late = -1;       // not persistent: the blocks of this launch start when everything else has ended
};

struct emulated_options {
    emulation mode = emulation::explore;
    std::uint64_t seed = 0;
    copse::controller controller = controller::persistent;
    /// Blocks that run at once, 1 to 4,096; launched ones beyond that wait.
    int blocks = 3;
    /// Explore: so many points in a row without a task function returning, and the run is taken to be stuck.
    std::uint64_t step_limit = 10'000'000;
    /// Device controller: a launched block that has not started while no item came or went for so long ends the run
    /// with `stalled`. In explore mode time is counted in points, a microsecond each.
    double stall_seconds = 10;
    launch_faults faults = {};
    /// Explore: counts how tasks access memory, for emulated::profile(). Runs then take several times as long.
    bool profile = false;
    /// What operations make lies in `memory` and what they need in between in `temporary`: memories that count or
    /// refuse, say, and may call themselves a device's, but which the host can read. By default both are host_memory().
    std::shared_ptr<copse::memory> memory = {};
    std::shared_ptr<copse::memory> temporary = {};
};

}  // namespace copse
