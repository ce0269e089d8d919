// What the control groups of this process leave it of the machine's memory: containers and batch systems set limits
// there, and end a process that passes them.
#pragma once

#include <cstddef>

namespace copse::detail {

/// The least that this process's group or one above it may still take; what it has of files in memory is the system's
/// to take back, and counts as free. SIZE_MAX without a limit. Versions 1 and 2. Allocates nothing.
/// groups: like /proc/self/cgroup; mounted: where the groups are.
std::size_t left_of_memory_groups(char const* groups = "/proc/self/cgroup",
                                  char const* mounted = "/sys/fs/cgroup") noexcept;

}  // namespace copse::detail
