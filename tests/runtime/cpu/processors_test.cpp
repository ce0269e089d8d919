#include <copse/runtime/cpu/processors.hpp>

#include <gtest/gtest.h>
#include <sched.h>

#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <filesystem>
#include <formats/files/scratch_folder.hpp>
#include <limits>
#include <string>
#include <thread>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace copse::tests {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// A folder like /sys/fs/cgroup.
class quotas : public testing::Test {
  protected:
    void file(std::string const& name, std::string const& text) const {
        std::filesystem::create_directories(std::filesystem::path(folder_.path(name)).parent_path());
        folder_.file(name, text);
    }
    double of(std::string const& groups) const { return detail::processors_of_quota(groups, folder_.path("")); }

    scratch_folder folder_;
};

TEST_F(quotas, of_version_2_are_read) {
    file("a/b/cpu.max", "150000 100000\n");
    EXPECT_EQ(of("0::/a/b\n"), 1.5);
    file("a/b/cpu.max", "50000 100000\n");
    EXPECT_EQ(of("0::/a/b\n"), 0.5);
    file("a/b/cpu.max", "max 100000\n");
    EXPECT_EQ(of("0::/a/b\n"), no_limit);
}

TEST_F(quotas, of_groups_around_count_too) {
    file("a/cpu.max", "200000 100000\n");
    file("a/b/cpu.max", "300000 100000\n");
    EXPECT_EQ(of("0::/a/b\n"), 2);
    EXPECT_EQ(of("0::/a\n"), 2);
    EXPECT_EQ(of("0::/\n"), no_limit);
    file("cpu.max", "100000 50000\n");
    EXPECT_EQ(of("0::/\n"), 2);
    EXPECT_EQ(of("0::/not/mounted/here\n"), 2) << "in a container the path may be the host's";
}

TEST_F(quotas, of_version_1_are_read) {
    std::string const groups = "9:name=systemd:/x\n5:cpuset:/a\n2:cpu,cpuacct:/a/b\n0::/\n";
    file("cpu,cpuacct/a/b/cpu.cfs_quota_us", "250000\n");
    EXPECT_EQ(of(groups), no_limit) << "no period";
    file("cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(of(groups), 2.5);
    EXPECT_EQ(of("5:cpuset:/a/b\n2:cpuacct:/a/b\n"), no_limit);
    file("cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
    EXPECT_EQ(of(groups), no_limit);
    file("cpu/a/cpu.cfs_quota_us", "100000\n");
    file("cpu/a/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(of(groups), 1) << "where the controllers have a mount of one name";
    file("unified/cpu.max", "50000 100000\n");
    EXPECT_EQ(of(groups), 0.5) << "both versions side by side";
}

TEST_F(quotas, that_cannot_be_read_are_none) {
    file("cpu.max", "");
    EXPECT_EQ(of("0::/\n"), no_limit);
    file("cpu.max", "many 100000");
    EXPECT_EQ(of("0::/\n"), no_limit);
    file("cpu.max", "150000");  // no period
    EXPECT_EQ(of("0::/\n"), no_limit);
    file("cpu.max", "100000 0");
    EXPECT_EQ(of("0::/\n"), no_limit);
    file("cpu.max", "0 100000");
    EXPECT_EQ(of("0::/\n"), no_limit);
    EXPECT_EQ(of(""), no_limit);
    EXPECT_EQ(of("0\n:\n0:\n"), no_limit);
}

/// While it lives this thread may only use one of its processors.
class one_processor {
  public:
    one_processor() {
        EXPECT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
        int first = 0;
        while (!CPU_ISSET(first, &before_)) ++first;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(first, &one);
        EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    }
    ~one_processor() { sched_setaffinity(0, sizeof before_, &before_); }

  private:
    cpu_set_t before_;
};

TEST(processors, are_those_of_the_affinity) {
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    EXPECT_EQ(detail::processors_of_affinity(), CPU_COUNT(&set));
    EXPECT_GE(usable_processors(), 1);
    EXPECT_LE(usable_processors(), CPU_COUNT(&set));
    one_processor const one;
    EXPECT_EQ(usable_processors(), 1);
}

TEST(processors, are_the_default_of_executors_and_loops) {
    EXPECT_EQ(cpu().threads(), usable_processors());
    one_processor const one;
    EXPECT_EQ(cpu().threads(), 1);
    EXPECT_EQ(detail::most_loop_threads(), 1);
}

TEST(processors, are_fewer_than_threads_where_somebody_asks_for_more) {
    one_processor const one;
    EXPECT_EQ(cpu(3).threads(), 3);
#ifdef _OPENMP
    EXPECT_EQ(set_loop_threads(5), 0);
    EXPECT_EQ(detail::most_loop_threads(), 5);
    EXPECT_EQ(set_loop_threads(0), 5);
    int const before = omp_get_max_threads();
    omp_set_num_threads(7);
    EXPECT_EQ(detail::most_loop_threads(), 7);
    omp_set_num_threads(before);
#endif
}

TEST(last_cache, has_the_size_that_linux_says) {
    scratch_folder const folder;
    auto const file = [&](std::string const& name, std::string const& text) {
        std::filesystem::create_directories(std::filesystem::path(folder.path(name)).parent_path());
        folder.file(name, text);
    };
    auto const bytes = [&] { return detail::last_cache_bytes_in(folder.path("")); };
    EXPECT_EQ(bytes(), 32 << 20);  // nobody says
    file("index2/size", "1024K\n");
    EXPECT_EQ(bytes(), 1 << 20);
    file("index3/size", "8192K\n");
    EXPECT_EQ(bytes(), 8 << 20);
    file("index3/size", "unknown\n");
    EXPECT_EQ(bytes(), 1 << 20);
    EXPECT_GT(detail::last_cache_bytes(), 0);
    EXPECT_LE(detail::last_cache_bytes(), (std::int64_t{16} << 20) * std::thread::hardware_concurrency());
}

}  // namespace
}  // namespace copse::tests
