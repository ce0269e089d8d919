//   file of a control group                 content
//   cpu.max                                 "150000 100000": quota and period, or "max 100000"
//   cpu.cfs_quota_us, cpu.cfs_period_us     -1: no quota
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/processors.hpp>
#include <copse/runtime/memory/control_groups.hpp>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace copse {
namespace detail {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// quota, period: texts with a number of microseconds each
double processors_in(std::string_view quota, std::string_view period) {
    std::size_t const part = number_at(quota), whole = number_at(period);
    bool const limited = part > 0 && part < SIZE_MAX && whole > 0 && whole < SIZE_MAX;
    return limited ? static_cast<double>(part) / static_cast<double>(whole) : no_limit;
}

/// Of the group at `path` below `mount`, and of all groups around it.
double quota_of_path(std::string_view mount, std::string_view path) {
    return least_of_groups(path, [&](std::string_view group) {
        auto const text = [&](char const* name) { return file_text(path_text({mount, "/", group, "/", name}).get()); };
        file_text const both = text("cpu.max");
        auto const quota = both.view();
        auto const space = std::min(quota.find(' '), quota.size());
        auto const period = quota.substr(std::min(space + 1, quota.size()));
        return std::min(processors_in(text("cpu.cfs_quota_us").view(), text("cpu.cfs_period_us").view()),
                        processors_in(quota, period));
    });
}

}  // namespace

double processors_of_quota(std::string_view groups, std::filesystem::path const& root) {
    double least = no_limit;
    auto const take = [&](std::string_view mount, std::string_view path) {
        least = std::min(least, quota_of_path((root / mount).native(), path));
    };
    for_each_control_group(groups, [&](std::string_view controllers, std::string_view path) {
        if (controllers.empty()) {
            take("", path);
            take("unified", path);
        } else if ((',' + std::string(controllers) + ',').find(",cpu,") != std::string::npos) {
            take(controllers, path);
            take("cpu", path);
        }
    });
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

std::int64_t last_cache_bytes_in(std::string_view caches) noexcept {
    for (std::string_view const index : {"3", "2"}) {
        file_text const text(path_text({caches, "/index", index, "/size"}).get());
        std::size_t const kibibytes = number_at(text.view());  // "32768K"
        if (kibibytes > 0 && kibibytes < SIZE_MAX / 1024) return static_cast<std::int64_t>(kibibytes * 1024);
    }
    return std::int64_t{32} << 20;
}

std::int64_t last_cache_bytes() noexcept {
    std::int64_t constexpr most_of_processor = std::int64_t{16} << 20;
    static std::int64_t const bytes =
        std::min<std::int64_t>(last_cache_bytes_in("/sys/devices/system/cpu/cpu0/cache"),
                               std::max(1u, std::thread::hardware_concurrency()) * most_of_processor);
    return bytes;
}

}  // namespace detail

int usable_processors() {
    static double const quota =
        detail::processors_of_quota(detail::file_text("/proc/self/cgroup").view(), "/sys/fs/cgroup");
    int const allowed = detail::processors_of_affinity();
    return quota < allowed ? static_cast<int>(std::ceil(quota)) : allowed;
}

}  // namespace copse
