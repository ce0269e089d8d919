// The part of a run that all its workers share besides the queues: what is outstanding, and the first failure.
//
// Termination: `outstanding[phase]` counts items from before they become visible until their function has returned and
// all they pushed is counted. An item may push only to its own or a later phase, so counts reach zero in order of phase
// and stay there: the run is over when all are zero, and phase p may start when all before it are.
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/task.hpp>
#include <cstdint>

namespace copse {

enum class failure_kind : std::uint32_t { none, queue_full, task_failed, launch_failed, stalled };

struct failure_record {
    std::uint32_t state;  // 0: none, 1: being written, 2: written
    failure_kind kind;
    std::int32_t queue;  // index of the task among those of the run
    std::int64_t code;   // of the task, or of the launch
    std::int64_t capacity;
    std::int64_t items;
};

/// Zeroed memory is a fresh run.
template <class Machine>
struct run_control {
    alignas(128) std::int64_t outstanding[phase_count];
    alignas(128) failure_record failure;
    // Set when work cannot go on (a kernel could not be launched, or did not start): workers leave without draining.
    std::uint32_t stop;
    // The device controller's count of blocks launched and not yet finished (hisparse §4.1).
    alignas(128) std::int64_t running_blocks;

    COPSE_HOST_DEVICE void add_outstanding(int phase, std::int64_t count) {
        Machine::add_relaxed(&outstanding[phase], count);
    }

    /// After the functions of `count` items returned. The release makes what they wrote visible to whoever sees zero.
    COPSE_HOST_DEVICE void finish(int phase, std::int64_t count) { Machine::add_acq_rel(&outstanding[phase], -count); }

    COPSE_HOST_DEVICE bool phase_open(int phase) const {
        for (int earlier = 0; earlier < phase; ++earlier)
            if (Machine::load_acquire(&outstanding[earlier]) != 0) return false;
        return true;
    }

    COPSE_HOST_DEVICE bool finished() const { return phase_open(phase_count); }

    /// Once true, items are drawn and dropped, so that the run ends.
    COPSE_HOST_DEVICE bool failed() const { return Machine::load_relaxed(&failure.state) != 0; }

    COPSE_HOST_DEVICE bool stopped() const { return Machine::load_relaxed(&stop) != 0; }

    /// Keeps the first failure; later ones are consequences.
    COPSE_HOST_DEVICE void fail(failure_kind kind, int queue, std::int64_t code, std::int64_t capacity,
                                std::int64_t items) {
        if (!Machine::compare_exchange(&failure.state, std::uint32_t{0}, std::uint32_t{1})) return;
        failure.kind = kind;
        failure.queue = queue;
        failure.code = code;
        failure.capacity = capacity;
        failure.items = items;
        Machine::store_release(&failure.state, std::uint32_t{2});
    }
};

}  // namespace copse
