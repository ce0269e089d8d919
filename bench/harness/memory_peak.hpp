// What some work takes of the host's memory at most, and of a GPU's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bench/harness/host_peak.hpp"

namespace copse::bench::measure {

struct memory_peak {
    std::optional<std::int64_t> bytes;  // "peak_bytes", of the host's; none where the system does not count
    std::optional<std::int64_t>
        device_bytes;  // "device_peak_bytes", of a GPU's; none where the executor has the host's

    bool operator==(memory_peak const&) const = default;
};

/// Of work(), beside what was there before; what the executor keeps from earlier work is given back first. On a GPU it
/// is what is in use of the executor's pool: buffers, matrices, and what operations take for themselves.
template <class Executor, class Work>
memory_peak memory_peak_of(Executor& executor, Work const& work) {
    memory_peak most;
    if constexpr (requires { executor.peak_bytes(); }) {
        executor.release_workspace();
        std::int64_t const before = executor.restart_peak();
        most.bytes = host_peak_bytes_of(work);
        most.device_bytes = std::max<std::int64_t>(0, executor.peak_bytes() - before);
    } else {
        most.bytes = host_peak_bytes_of(work);
    }
    return most;
}

/// "1.23 MB", or that this system does not count; and what of a GPU's.
std::string peak_text(memory_peak const& most);

/// memory_peak_of() on some executor.
using memory_probe = std::function<memory_peak(std::function<void()> const& work)>;

}  // namespace copse::bench::measure
