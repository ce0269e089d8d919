//   /proc/self/cgroup        file                                        content
//   0::/a/b                  /sys/fs/cgroup[/unified]/a/b/cpu.max        "150000 100000": quota and period, or "max 100000"
//   4:cpu,cpuacct:/a/b       /sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us, cpu.cfs_period_us        -1: no quota
//
// In a container the path may be the host's, of which nothing is mounted but the last group, as the root: then that is read.
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <copse/runtime/processors.hpp>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace copse {
namespace detail {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

std::string content_of(std::filesystem::path const& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// text: quota and period in microseconds
double processors_in(std::string const& text) {
    std::istringstream numbers(text);
    double quota = 0, period = 0;
    return numbers >> quota >> period && quota > 0 && period > 0 ? quota / period : no_limit;
}

double quota_of_group(std::filesystem::path const& group) {
    double const first =
        processors_in(content_of(group / "cpu.cfs_quota_us") + ' ' + content_of(group / "cpu.cfs_period_us"));
    return std::min(first, processors_in(content_of(group / "cpu.max")));
}

/// Of the group at `path` below `mount`, and of all groups around it.
double quota_of_path(std::filesystem::path const& mount, std::string_view path) {
    double least = quota_of_group(mount);
    std::filesystem::path group = mount;
    for (auto const& name : std::filesystem::path(path).relative_path()) {
        group /= name;
        least = std::min(least, quota_of_group(group));
    }
    return least;
}

}  // namespace

double processors_of_quota(std::string_view groups, std::filesystem::path const& root) {
    double least = no_limit;
    std::istringstream lines{std::string(groups)};
    for (std::string line; std::getline(lines, line);) {
        auto const first = line.find(':'), second = line.find(':', first + 1);
        if (first == line.npos || second == line.npos) continue;
        std::string const controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
        if (controllers.empty()) {
            least = std::min({least, quota_of_path(root, path), quota_of_path(root / "unified", path)});
        } else if ((',' + controllers + ',').find(",cpu,") != line.npos) {
            least = std::min({least, quota_of_path(root / controllers, path), quota_of_path(root / "cpu", path)});
        }
    }
    return least;
}

int processors_of_affinity() {
#ifdef _OPENMP
    if (omp_get_proc_bind() != omp_proc_bind_false) return std::max(1, omp_get_num_procs());
#endif
    // The system refuses a set with less room than it has processors, or could have.
    for (std::size_t room = 1024; room <= std::size_t{1} << 20; room *= 4) {
        std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> const set(CPU_ALLOC(room), [](cpu_set_t* p) { CPU_FREE(p); });
        if (set == nullptr) break;
        std::size_t const bytes = CPU_ALLOC_SIZE(room);
        if (sched_getaffinity(0, bytes, set.get()) == 0) return std::max(1, CPU_COUNT_S(bytes, set.get()));
    }
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace detail

int usable_processors() {
    static double const quota = detail::processors_of_quota(detail::content_of("/proc/self/cgroup"), "/sys/fs/cgroup");
    int const allowed = detail::processors_of_affinity();
    return quota < allowed ? static_cast<int>(std::ceil(quota)) : allowed;
}

}  // namespace copse
