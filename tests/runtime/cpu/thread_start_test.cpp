// Where the system starts no more threads: in children whose address space has room for the stacks of two.
#include <copse/runtime/cpu/thread_start.hpp>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstddef>
#include <fstream>
#include <runtime/counting_task.hpp>
#include <runtime/cpu/in_child.hpp>
#include <runtime/message_of.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

#if COPSE_ADDRESS_SANITIZER
#define COPSE_SKIP_WITHOUT_LIMITS() GTEST_SKIP() << "the address sanitizer needs address space without a limit"
#else
#define COPSE_SKIP_WITHOUT_LIMITS() COPSE_SKIP_WITHOUT_FORK()
#endif

/// From now on there is address space for the stacks of so many more threads.
void leave_room_for_threads(std::size_t threads) {
    constexpr std::size_t stack = std::size_t{1} << 30;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    std::size_t const bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + threads * stack + stack / 2;
    rlimit const limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
}

TEST(thread_start, counts_threads_that_start) {
    for (int const wanted : {-1, 0, 1, 3}) EXPECT_EQ(detail::count_startable_threads(wanted), std::max(wanted, 0));
}

TEST(thread_start, counts_those_that_the_system_starts) {
    COPSE_SKIP_WITHOUT_LIMITS();
    EXPECT_EQ(in_child([] {
                  leave_room_for_threads(2);
                  std::string counts;
                  for (int const wanted : {1, 2, 3, 9, 2})
                      counts += std::to_string(detail::count_startable_threads(wanted));
                  return counts;
              }),
              "12222");
}

TEST(thread_start, leaves_a_team_the_threads_that_it_gets) {
    COPSE_SKIP_WITHOUT_LIMITS();
    EXPECT_EQ(in_child([] {
                  leave_room_for_threads(2);
                  detail::thread_team team(5);
                  std::vector<int> calls(5);
                  team.run([&](int rank) { ++calls[static_cast<std::size_t>(rank)]; });
                  return std::to_string(team.size()) + (calls == std::vector{1, 1, 1, 0, 0} ? ", right" : ", wrong");
              }),
              "3, right");
    detail::thread_team parents(5);
    EXPECT_EQ(in_child([&] {
                  leave_room_for_threads(2);
                  std::vector<int> calls(5);
                  parents.run([&](int rank) { ++calls[static_cast<std::size_t>(rank)]; });
                  return std::to_string(parents.size()) + (calls == std::vector<int>(5, 1) ? ", right" : ", wrong");
              }),
              "5, right");
}

TEST(thread_start, ends_in_an_error_where_a_cpu_was_asked_for_more) {
    COPSE_SKIP_WITHOUT_LIMITS();
    EXPECT_EQ(in_child([] {
                  leave_room_for_threads(2);
                  return message_of<argument_error>([] { cpu(5); });
              }),
              "cpu: threads is 5, but the system starts only 3; ask for fewer");
    EXPECT_EQ(in_child([] {
                  leave_room_for_threads(0);
                  cpu executor;
                  return works(executor) ? std::to_string(executor.threads()) : "wrong";
              }),
              "1");
    cpu parents(4);
    EXPECT_EQ(in_child([&] {
                  leave_room_for_threads(1);
                  return works(parents) ? "right" : "wrong";
              }),
              "right");
}

TEST(thread_start, ends_in_an_error_where_there_are_fewer_than_stressed_lanes) {
    COPSE_SKIP_WITHOUT_LIMITS();
    emulated executor({.mode = emulation::stress, .blocks = 1});
    EXPECT_EQ(in_child([&] {
                  leave_room_for_threads(2);
                  auto const text = message_of<error>([&] { works(executor); });
                  return text.substr(0, text.find(" ("));
              }),
              "emulated: stress mode needs a thread for each lane, but the system starts only 2");
}

}  // namespace
}  // namespace copse::tests
