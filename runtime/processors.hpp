// How many processors this process may use: as many as its affinity allows (taskset, sched_setaffinity), but no more
// than its control groups grant it CPU time for (docker run --cpus, Kubernetes limits, CPUQuota of systemd).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace copse {

/// Returns the default number of threads, 1 or more. A quota of 1.5 processors counts as 2. Each call reads the
/// affinity; only the first call reads the quota. Thread-safe.
int usable_processors();

/// From now on the calling thread's work without a cpu executor (conversions, readers, generators) runs on up to
/// `threads` threads, even if there are fewer processors. 0: as many as OMP_NUM_THREADS or omp_set_num_threads() say;
/// if neither was set, usable_processors(). Returns the previous number.
int set_loop_threads(int threads) noexcept;

namespace detail {

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

}  // namespace detail
}  // namespace copse
