// The watchdog ends a program whose call does not come back, and only such a program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>

#include "bench/gpu_comparison/watchdog.hpp"

namespace copse::bench {
namespace {

TEST(watchdog, names_what_did_not_come_back) {
    EXPECT_EXIT(
        {
            watchdog const limit("program", "the call", 1);
            while (true) pause();
        },
        testing::ExitedWithCode(watchdog::exit_status), "\nprogram: no answer from the call\n");
}

TEST(watchdog, sleeps_when_the_call_came_back) {
    EXPECT_EXIT(
        {
            { watchdog const limit("program", "the call", 1); }
            sleep(2);
            _exit(0);
        },
        testing::ExitedWithCode(0), "");
}

/// The inner one's end would disarm the outer one.
TEST(watchdog, is_none_within_another) {
    {
        watchdog const outer("program", "all calls", 60);
        EXPECT_THROW(watchdog("program", "one call", 1), std::logic_error);
    }
    EXPECT_NO_THROW(watchdog("program", "the next call", 1));
}

}  // namespace
}  // namespace copse::bench
