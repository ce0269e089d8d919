// fork(): what a child can do with the library and with what its parent made of it. runtime/cpu.hpp says what is
// promised.
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/processes.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/emulated.hpp>
#include <memory>
#include <runtime/counting_task.hpp>
#include <runtime/cpu/in_child.hpp>
#include <some_cases.hpp>
#include <string>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

TEST(processes, know_what_an_ancestor_has_set) {
    detail::process_mark mark, other;
    EXPECT_FALSE(mark.is_of_ancestor());
    mark.set();
    EXPECT_FALSE(mark.is_of_ancestor());
    unsigned const here = detail::process_generation();
    EXPECT_EQ(in_child([&] {
                  if (detail::process_generation() != here + 1) return "another generation";
                  if (other.is_of_ancestor()) return "nobody set it";
                  other.set();
                  if (other.is_of_ancestor()) return "set here";
                  mark.set();
                  return mark.is_of_ancestor() ? "of an ancestor" : "of the child";
              }),
              "of an ancestor");
    EXPECT_EQ(detail::process_generation(), here);
    EXPECT_FALSE(other.is_of_ancestor());
}

/// Of a loop that is the team's, or OpenMP's without one: how many threads it ran on, and whether all was done.
std::string loop_on(detail::thread_team* team) {
    detail::loop_team const loops(team);
    std::vector<int> done(100000);
    detail::parallel_for(std::ssize(done), 100, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
    return done == std::vector<int>(100000, 1) ? "right on " + std::to_string(detail::most_loop_threads()) : "wrong";
}

TEST(processes, children_have_teams_of_their_own) {
    COPSE_SKIP_WITHOUT_FORK();
    auto team = std::make_unique<detail::thread_team>(4);
    ASSERT_EQ(loop_on(team.get()), "right on 4");
    EXPECT_EQ(in_child([&] {
                  auto const parents = loop_on(team.get()), again = loop_on(team.get());
                  std::atomic<int> inside{0};
                  team->run([&](int) {  // needs four threads
                      ++inside;
                      while (inside < 4) std::this_thread::yield();
                  });
                  auto const grandchilds = in_child([&] { return loop_on(team.get()); });
                  detail::thread_team own(3);
                  return parents + ", " + again + ", " + grandchilds + ", " + loop_on(&own);
              }),
              "right on 4, right on 4, right on 4, right on 3");
    EXPECT_EQ(in_child([&] {
                  team.reset();
                  return "destroyed";
              }),
              "destroyed");
    EXPECT_EQ(loop_on(team.get()), "right on 4");
}

TEST(processes, children_run_loops_without_a_team_on_one_thread) {
    COPSE_SKIP_WITHOUT_FORK();
    int const before = set_loop_threads(3);
    std::string const here = loop_on(nullptr);
    EXPECT_EQ(in_child([] { return loop_on(nullptr); }), "right on 1");
    EXPECT_EQ(in_child([] {
                  int parts = 0;  // plain: one after the other
                  detail::for_parts(5, [&](int) { ++parts; });
                  return std::to_string(parts);
              }),
              "5");
    EXPECT_EQ(loop_on(nullptr), here);
    set_loop_threads(before);
}

template <class Executor, class... Arguments>
void expect_works_in_child(Arguments const&... arguments) {
    auto executor = std::make_unique<Executor>(arguments...);
    ASSERT_TRUE(works(*executor));
    EXPECT_EQ(in_child([&] {
                  if (!works(*executor)) return "the parent's does not work";
                  Executor own(arguments...);
                  if (!works(own)) return "the child's does not work";
                  executor.reset();
                  return works(own) ? "right" : "the child's does not work any more";
              }),
              "right");
    EXPECT_EQ(in_child([&] {
                  executor.reset();
                  return "destroyed";
              }),
              "destroyed");
    EXPECT_TRUE(works(*executor));
}

TEST(processes, children_use_each_executor) {
    COPSE_SKIP_WITHOUT_FORK();
    if (takes_all_cases) expect_works_in_child<cpu>(1);
    expect_works_in_child<cpu>(3);
    expect_works_in_child<emulated>(emulated_options{});
    // With a sanitizer the child's threads may take longer than it has, beside other tests.
    if (takes_all_cases) expect_works_in_child<emulated>(emulated_options{.mode = emulation::stress, .blocks = 2});
}

}  // namespace
}  // namespace copse::tests
