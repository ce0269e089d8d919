// What the emulated executor adds to the shared suites: replay, interleavings, stacks that are unwound.
#include <copse/runtime/emulated.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <copse/runtime/config.hpp>
#include <copse/runtime/error.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <runtime/emulated/in_grid.hpp>
#include <runtime/executors.hpp>
#include <runtime/scheduler/scheduler_tasks.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

std::vector<std::int64_t> numbers(std::int64_t count) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// What can be compared between two runs: all but the wall clock.
struct replay {
    detail::emulated_trace trace;
    std::vector<std::int64_t> figures;
    friend bool operator==(replay const&, replay const&) = default;
};

replay record(emulated& executor) {
    std::vector<count_t> visits(150, 0);
    run_report const report = run(executor, seed<grow<4>>(0), grow<4>{visits.data(), 150, 3});
    queue_report const& q = report.queues.at(0);
    return {last_trace(executor),
            {q.items, q.batches, q.launches, q.peak_fill, static_cast<std::int64_t>(q.seconds * 1e9)}};
}

class explored_by : public testing::TestWithParam<controller> {
  protected:
    emulated executor(std::uint64_t seed) const { return emulated({.seed = seed, .controller = GetParam()}); }
};

TEST_P(explored_by, a_seed_replays_exactly) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        emulated first = executor(seed), second = executor(seed);
        replay const recorded = record(first);
        EXPECT_GT(recorded.trace.steps, 1000u);
        EXPECT_EQ(record(second), recorded);
        EXPECT_EQ(record(first), recorded);  // and again on the same executor
    }
}

TEST_P(explored_by, seeds_differ) {
    std::set<std::uint64_t> interleavings;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        emulated one = executor(seed);
        interleavings.insert(record(one).trace.interleaving);
    }
    EXPECT_EQ(interleavings.size(), 100u);
}

INSTANTIATE_TEST_SUITE_P(controllers, explored_by,
                         testing::Values(controller::persistent, controller::device, controller::host),
                         [](auto const& given) { return name_of(given.param); });

#if !COPSE_THREAD_SANITIZER  // which reports the race itself
/// Lacks a sync between writing scratch memory and reading the neighbour's.
struct forgets_a_sync {
    using item = std::int64_t;
    static constexpr int width = 8;
    static constexpr std::size_t scratch_bytes = 8 * sizeof(int);
    count_t* errors;

    template <class Worker>
    void operator()(item, Worker& w) const {
        auto const cells = w.template scratch<int>(8);
        cells[w.rank()] = w.rank();
        w.add(errors, 0);  // a point where others may go on
        int const neighbour = cells[(w.rank() + 1) % 8];
        w.sync();
        if (neighbour != (w.rank() + 1) % 8) w.add(errors, 1);
    }
};

TEST(explore, shows_what_a_forgotten_sync_does) {
    int wrong = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        emulated executor({.seed = seed});
        count_t errors = 0;
        run(executor, seed_range<forgets_a_sync>(0, 4), forgets_a_sync{&errors});
        wrong += errors > 0;
    }
    EXPECT_GE(wrong, 15);
}
#endif

/// Scratch memory does not start as zeros, nor with what the last item left there.
struct reads_fresh_scratch {
    using item = std::int64_t;
    static constexpr int width = 4;
    static constexpr std::size_t scratch_bytes = 4 * sizeof(double);
    count_t* numbers_found;

    template <class Worker>
    void operator()(item, Worker& w) const {
        auto const cells = w.template scratch<double>(4);
        if (cells[w.rank()] == cells[w.rank()]) w.add(numbers_found, 1);  // not NaN
        cells[w.rank()] = 1;
    }
};

TEST(emulated, scratch_memory_is_undefined_at_first) {
    emulated executor({.blocks = 1});
    count_t numbers_found = 0;
    run(executor, seed_range<reads_fresh_scratch>(0, 100), reads_fresh_scratch{&numbers_found});
    EXPECT_EQ(numbers_found, 0);
}

/// Notes how many items are worked on at once. One item takes a whole block.
struct count_company {
    using item = std::int64_t;
    static constexpr int width = 32;
    std::int64_t* running;
    std::int64_t* most;

    template <class Worker>
    void operator()(item, Worker& w) const {
        using machine = typename Worker::machine;
        if (w.rank() == 0) machine::max_relaxed(most, machine::add_relaxed(running, std::int64_t{1}) + 1);
        w.sync();
        w.sync();
        if (w.rank() == 0) machine::add_relaxed(running, std::int64_t{-1});
    }
};

TEST_P(explored_by, runs_so_many_blocks_at_once) {
    for (int blocks : {1, 2, 4}) {
        std::int64_t running = 0, most = 0;
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            emulated executor({.seed = seed, .controller = GetParam(), .blocks = blocks});
            run(executor, seed_range<count_company>(0, 40), count_company{&running, &most});
        }
        EXPECT_EQ(most, blocks);
        EXPECT_EQ(running, 0);
    }
}

TEST(push_group, is_any_number_of_lanes_from_one_to_a_warp) {
    std::set<std::uint32_t> sizes;
    for (std::uint64_t seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        struct membership {
            std::uint32_t first, rank, size;
        };
        std::vector<membership> found(64);  // by lane: lanes share nothing
        explore_lanes(seed, 64, [&](detail::emulated_lane& lane) {
            auto const self = static_cast<std::uint32_t>(lane.rank);
            detail::push_membership const group = lane.join_push(lane.rank % 5 == 0 ? 1 : 0);
            std::uint32_t first = self;
            if (group.rank > 0)
                first = lane.take_from<std::uint32_t>(group);
            else if (group.gate)
                lane.post_to(group, self);
            EXPECT_EQ(first / 32, self / 32) << "a group of two warps";
            EXPECT_EQ(first % 5 == 0, self % 5 == 0) << "a group of two queues";
            found[self] = {first, group.rank, group.size};
        });
        std::map<std::uint32_t, std::vector<std::uint32_t>> groups;  // ranks, by first lane
        for (membership const& m : found) groups[m.first].push_back(m.rank);
        for (auto& [first, ranks] : groups) {
            ASSERT_EQ(ranks.size(), found[first].size);
            std::sort(ranks.begin(), ranks.end());
            for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) EXPECT_EQ(ranks[rank], rank);
            sizes.insert(found[first].size);
        }
    }
    EXPECT_EQ(sizes.count(1), 1u);
    EXPECT_GE(*sizes.rbegin(), 24u);  // of the 25 lanes of a warp that push to queue 0
    EXPECT_GE(sizes.size(), 20u);
}

struct throws_at {
    using item = std::int64_t;
    static constexpr int width = 16;
    std::int64_t bad;

    template <class Worker>
    void operator()(item i, Worker& w) const {
        /// A destructor that meets the others. When their stacks are unwound it must neither throw nor wait.
        struct meets {
            Worker& w;
            ~meets() {
                w.sync();
                w.template push<throws_at>(0);
            }
        };
        if (i != bad) return;
        if (w.rank() == 9) throw std::out_of_range("item " + std::to_string(i));
        meets const on_the_way_out{w};
        w.sync();  // where lane 9 never comes
    }
};

TEST(emulated, rethrows_what_a_task_function_throws) {
    for (emulation mode : {emulation::explore, emulation::stress})
        for (controller c : {controller::persistent, controller::device, controller::host})
            for (std::uint64_t seed = 0; seed < 5; ++seed) {
                emulated executor({.mode = mode, .seed = seed, .controller = c, .blocks = 2});
                try {
                    run(executor, copse::seed<throws_at>(numbers(30)), throws_at{21});
                    ADD_FAILURE() << "nothing was thrown";
                } catch (std::out_of_range const& e) {
                    EXPECT_STREQ(e.what(), "item 21");
                }
                run(executor, copse::seed<throws_at>(numbers(30)), throws_at{-1});
            }
}

TEST_P(explored_by, ends_a_run_that_has_lost_an_item) {
    visit<1> const task{nullptr};
    emulated executor({.controller = GetParam(), .step_limit = 20'000});
    detail::host_run lost(run_options(), detail::facts_of<visit<1>>(), {});
    auto const view = detail::view_of<emulated_machine>(lost.layout(), task);
    view.control->outstanding[0] = 1;  // but no queue holds it
    EXPECT_THROW(detail::run_on_grid(executor, lost, detail::bodies_of(view), {}), error);
}

TEST(emulated, checks_its_options) {
    EXPECT_THROW(emulated({.blocks = 0}), argument_error);
    EXPECT_THROW(emulated({.blocks = -3}), argument_error);
    EXPECT_THROW(emulated({.blocks = 4097}), argument_error);
    EXPECT_THROW(emulated({.controller = static_cast<controller>(9)}), argument_error);
    EXPECT_THROW(emulated({.stall_seconds = 0}), argument_error);
    EXPECT_THROW(emulated({.stall_seconds = std::numeric_limits<double>::quiet_NaN()}), argument_error);
}

TEST(emulated, moves) {
    emulated first({.seed = 5});
    emulated second = std::move(first);
    EXPECT_EQ(second.options().seed, 5u);
    EXPECT_GT(record(second).trace.steps, 0u);
}

}  // namespace
}  // namespace copse::tests
