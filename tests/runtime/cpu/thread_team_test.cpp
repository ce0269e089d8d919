#include <copse/runtime/cpu/thread_team.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

TEST(thread_team, calls_every_rank_once_and_waits) {
    for (int size : {1, 2, 5}) {
        detail::thread_team team(size);
        EXPECT_EQ(team.size(), size);
        for (int round = 0; round < 100; ++round) {
            std::vector<int> calls(static_cast<std::size_t>(size), 0);  // plain: the end of the run is seen
            team.run([&](int rank) { ++calls[static_cast<std::size_t>(rank)]; });
            EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(size), 1));
        }
    }
}

TEST(thread_team, works_on_the_callers_thread_too) {
    detail::thread_team team(3);
    std::thread::id first;
    std::atomic<int> on_the_caller{0};
    auto const caller = std::this_thread::get_id();
    team.run([&](int rank) {
        if (rank == 0) first = std::this_thread::get_id();
        on_the_caller += std::this_thread::get_id() == caller;
    });
    EXPECT_EQ(first, caller);
    EXPECT_EQ(on_the_caller, 1);
}

TEST(thread_team, takes_the_runs_of_several_threads_in_turn) {
    detail::thread_team team(2);
    std::atomic<int> inside{0}, total{0};
    std::vector<std::jthread> callers;
    for (int i = 0; i < 3; ++i)
        callers.emplace_back([&] {
            for (int round = 0; round < 50; ++round)
                team.run([&](int) {
                    EXPECT_LE(++inside, 2);
                    ++total;
                    --inside;
                });
        });
    callers.clear();
    EXPECT_EQ(total, 300);
}

TEST(thread_team, ends_without_having_worked) {
    detail::thread_team team(4);
}

}  // namespace
}  // namespace copse::tests
