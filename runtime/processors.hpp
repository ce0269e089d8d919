// How many processors this process may use: what its affinity allows (taskset, sched_setaffinity), and no more than the
// CPU time that its control groups grant it (docker run --cpus, Kubernetes limits, CPUQuota of systemd).
#pragma once

#include <filesystem>
#include <string_view>

namespace copse {

/// The default number of threads, 1 or more. A quota of 1.5 processors counts as 2. The affinity is asked for at each
/// call, the quota at the first. Thread-safe.
int usable_processors();

/// From now on the calling thread's work without a cpu executor (conversions, readers, generators) runs on up to
/// `threads` threads, even if there are fewer processors. 0: as many as OMP_NUM_THREADS or omp_set_num_threads() say;
/// if neither does, usable_processors(). Returns the number before.
int set_loop_threads(int threads) noexcept;

namespace detail {

/// Those that the calling thread's affinity allows. Where OpenMP has bound its threads to one processor each
/// (OMP_PROC_BIND, OMP_PLACES): those that the process was allowed when it began.
int processors_of_affinity();

/// Processors' worth of time that control groups grant: the least of a group's and of its ancestors'; infinity where
/// none has a limit. Groups that cannot be read have none.
/// groups: text like /proc/self/cgroup; root: where they are mounted, /sys/fs/cgroup.
double processors_of_quota(std::string_view groups, std::filesystem::path const& root);

}  // namespace detail
}  // namespace copse
