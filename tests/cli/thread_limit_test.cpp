// The command uses the processors that it may use, and goes on with the threads that the system starts.
#include <sched.h>
#include <sys/resource.h>

#include <copse/runtime/cpu.hpp>
#include <string>

#include "cli/command.hpp"

namespace copse_test {
namespace {

class thread_limit_test : public command_test {
  protected:
    /// copse with these arguments and address space for the stacks of two more threads, 4 GB each.
    outcome run_within_limit(std::string const& arguments) const {
        return run_program("/bin/sh",
                           {"-c", "ulimit -s 4000000 && ulimit -v 10000000 && " COPSE_COMMAND " " + arguments});
    }
    static bool can_have_large_stacks() {
        rlimit limit{};
        return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_max == RLIM_INFINITY;
    }
};

TEST_F(thread_limit_test, goes_on_with_the_threads_that_start) {
    if (!can_have_large_stacks()) GTEST_SKIP() << "the size of stacks is limited (ulimit -Hs)";
    for (auto const* command : {"info poisson2d:200 --threads 8", "generate poisson2d:200 -o a.mtx",
                                "convert a.mtx --format csr5", "spmv a.mtx", "add a.mtx a.mtx --format csr"}) {
        auto const o = run_within_limit(command);
        EXPECT_EQ(o.status, 0) << command;
        EXPECT_EQ(o.err, "") << command;
    }
    expect_error(run_within_limit("spmv a.mtx --threads 8"),
                 "cpu: threads is 8, but the system starts only 3; ask for fewer");
}

TEST_F(thread_limit_test, uses_the_processors_that_it_may_use) {
    cpu_set_t before, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    int first = 0;
    while (!CPU_ISSET(first, &before)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    auto const o = run({"spmv", "poisson2d:20", "--on", "cpu", "--json"});
    auto const more = run({"spmv", "poisson2d:20", "--on", "cpu", "--json", "--threads", "3"});
    sched_setaffinity(0, sizeof before, &before);
    EXPECT_NE(o.out.find("\"threads\":1,"), std::string::npos) << o.out;
    EXPECT_NE(more.out.find("\"threads\":3,"), std::string::npos) << more.out;
}

TEST_F(thread_limit_test, uses_all_processors_where_openmp_binds_each_thread_to_one) {
    auto const o = run_program(
        "/bin/sh", {"-c", "export OMP_PROC_BIND=true; " COPSE_COMMAND " spmv poisson2d:20 --on cpu --json"});
    auto const expected = "\"threads\":" + std::to_string(copse::usable_processors()) + ",";
    EXPECT_NE(o.out.find(expected), std::string::npos) << o.out;
}

}  // namespace
}  // namespace copse_test
