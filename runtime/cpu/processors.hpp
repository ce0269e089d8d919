// What this machine gives the process: processors and cache. usable_processors() (cpu.hpp) is made of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace copse::detail {

/// Returns the number of processors that the calling thread's affinity allows. If OpenMP has bound its threads to one
/// processor each (OMP_PROC_BIND, OMP_PLACES), returns the number that the process was allowed when it began.
int processors_of_affinity();

/// Returns the CPU time that control groups grant, in processors: the least quota of a group and its ancestors;
/// infinity if none has a quota. A group that cannot be read counts as one without a quota.
/// groups: text like /proc/self/cgroup; root: where control groups are mounted, /sys/fs/cgroup.
double processors_of_quota(std::string_view groups, std::filesystem::path const& root);

/// Returns the bytes of this machine's last cache, as Linux has them for its first processor; 32 MiB if Linux does not
/// say. At most 16 MiB for each processor of this process: a virtual machine shares the cache with others. (On one with
/// two processors, which names 504 MiB, matrices of 50 MB were no faster than memory lets them be.)
/// (On virtual machines with processors of AMD, sysconf() says ten times as much.)
std::int64_t last_cache_bytes() noexcept;

/// The same. caches: a folder like /sys/devices/system/cpu/cpu0/cache.
std::int64_t last_cache_bytes_in(std::string_view caches) noexcept;

}  // namespace copse::detail
