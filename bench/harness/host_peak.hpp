// What some work takes of the machine's memory at most.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace copse::bench::measure {

/// Gives memory that this process keeps, but does not use, back to the system, and forgets the most that it had. The
/// bytes that it has now; none where the system does not count (Linux does).
std::optional<std::int64_t> restart_host_peak();
/// The most since then.
std::optional<std::int64_t> host_peak_bytes();

/// Bytes of work() beside what was there before, as the system counts pages. Other threads are counted along.
template <class Work>
std::optional<std::int64_t> host_peak_bytes_of(Work const& work) {
    auto const before = restart_host_peak();
    work();
    auto const most = host_peak_bytes();
    return before && most ? std::optional(std::max<std::int64_t>(0, *most - *before)) : std::nullopt;
}

}  // namespace copse::bench::measure
