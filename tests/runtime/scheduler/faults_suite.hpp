// What may go wrong in a run, on every executor and controller. Each fault ends within a bounded time with one named
// error, or is survived, and the same executor runs the next job correctly.
//
//   fault                                          cpu        emulated                  gpu        then
//   a queue is full; with every worker producing   yes        yes                       yes        queue_full
//   the list of ranges is full                     yes        yes                       yes        queue_full
//   the seeds do not fit                           yes        yes                       yes        queue_full
//   the queues do not fit into memory              yes        yes                       -          out_of_memory
//   memory runs out in a task function             yes        yes                       -          out_of_memory
//   a task reports failure; all do                 yes        yes                       yes        task_error
//   a task throws; all do                          yes        yes                       -          what was thrown
//   a launch fails                                 -          device, host              -          cuda_error
//   there is no room for a launch                  -          device, host              -          (survived)
//   a launched block does not start                -          device                    -          stalled
//   a lane waits for ever                          -          explored                  -          error
//   a stop is requested: before, amid, after       yes        yes                       yes        cancelled
//   zero items                                     yes        yes                       yes        (survived)
//   10^7 items through 64 slots                    yes        2 10^4 to 2 10^5          10^6       (survived)
//   every worker producing, with room              yes        yes                       yes        (survived)
//
// What is not there: a cpu has no launches, and nobody can end a task function that never returns; a GPU's task
// functions cannot throw. Registered as scheduler_suite.hpp is.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <runtime/forwarding_memory.hpp>
#include <runtime/scheduler/scheduler_suite.hpp>
#include <stdexcept>
#include <typeinfo>

#include <sys/resource.h>

namespace copse::tests {

/// Ends the program if it lives for five minutes: a run that hangs is a failure with a name.
class time_limit {
  public:
    time_limit() : watch_([this](std::stop_token const& stop) { watch(stop); }) {}

  private:
    void watch(std::stop_token const& stop) {
        std::unique_lock lock(mutex_);
        if (ended_.wait_for(lock, stop, std::chrono::minutes(5), [&] { return stop.stop_requested(); })) return;
        if (stop.stop_requested()) return;
        auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
        std::fprintf(stderr, "%s.%s: the run has not ended within 5 minutes\n", test ? test->test_suite_name() : "",
                     test ? test->name() : "");
        std::_Exit(1);
    }

    std::mutex mutex_;
    std::condition_variable_any ended_;
    std::jthread watch_;
};

/// The next job on an executor: a tree, ranges, and a queue of one slot.
template <class Executor>
void check_next_job(Executor& executor) {
    check_tree<grow, 4>(executor, 60, 5);
    check_chain(executor, run_options().capacity<count_to_zero>(1), 10);
    check_visits<32>(executor, 20);
}

/// `work` throws Error itself, none derived from it, and the message holds `text`.
template <class Error, class Executor, class Work>
void check_fault(Executor& executor, std::string const& text, Work work) {
    time_limit const limit;
    try {
        work();
        ADD_FAILURE() << "nothing was thrown";
    } catch (Error const& e) {
        EXPECT_EQ(typeid(e), typeid(Error)) << e.what();
        EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
    } catch (std::exception const& e) {
        ADD_FAILURE() << "another error was thrown: " << e.what();
    }
    check_next_job(executor);
}

template <class Executor, class Work>
void check_survival(Executor& executor, Work work) {
    time_limit const limit;
    EXPECT_NO_THROW(work());
    check_next_job(executor);
}

/// Pushes its number less one, until it is 0: as many items at any time as there were seeds.
struct relay {
    using item = std::int64_t;
    static constexpr int width = 1;
    count_t* sum;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item left, Worker& w) const {
        w.add(sum, left);
        if (left > 0) w.template push<relay>(left - 1);
    }
};

/// `count` items at least through a queue of 64 slots, which are full from the start.
template <class Executor>
void check_64_slots(Executor& executor, std::int64_t count) {
    std::int64_t constexpr slots = 64;
    std::int64_t const length = (count + slots - 1) / slots;
    auto const sum = zero_counts(executor, 1);
    run_report const report =
        run(executor, run_options().capacity<relay>(slots),
            seed<relay>(std::vector<std::int64_t>(static_cast<std::size_t>(slots), length - 1)), relay{sum.data()});
    EXPECT_EQ(report.queues.at(0).items, slots * length);
    EXPECT_EQ(report.queues.at(0).peak_fill, slots);
    EXPECT_EQ(sum.to_host().at(0), slots * (length * (length - 1) / 2));
}

/// From 40 seeds at once every worker pushes children; the queue holds them all, to the last item.
template <class Executor>
void check_producers(Executor& executor) {
    std::int64_t constexpr size = 512;
    std::int64_t constexpr seeds = 40;
    auto const visits = zero_counts(executor, size);
    std::vector<std::int64_t> roots = numbers_below(seeds);
    // Node i's parent is (i - 1) / 16: seeds 0 to 2 would push others of the seeds.
    roots.erase(roots.begin(), roots.begin() + 3);
    run(executor, run_options().capacity<grow<8>>(size), seed<grow<8>>(roots), grow<8>{visits.data(), size, 16});
    std::vector<count_t> expected(static_cast<std::size_t>(size), 0);
    for (std::int64_t i = 3; i < size; ++i) {
        std::int64_t const parent = (i - 1) / 16;
        expected[static_cast<std::size_t>(i)] =
            (i < seeds ? 1 : 0) + (parent >= 3 ? expected[static_cast<std::size_t>(parent)] : 0);
    }
    EXPECT_EQ(visits.to_host(), expected);
}

template <class Executor>
void check_full_queue(Executor& executor, std::int64_t seeds) {
    auto const visits = zero_counts(executor, 1);
    auto const options = run_options().capacity<explode>(seeds + 2, 4);
    check_fault<queue_full>(executor, "queue 'explode' is full", [&] {
        try {
            run(executor, options, seed<explode>(numbers_below(seeds)), explode{visits.data()});
        } catch (queue_full const& e) {
            EXPECT_EQ(e.queue(), "explode");
            EXPECT_EQ(e.capacity(), detail::ring_capacity<explode>(seeds + 6));
            EXPECT_GE(e.items(), 0);
            EXPECT_LE(e.items(), e.capacity());
            throw;
        }
    });
}

template <class Executor>
void check_full_ranges(Executor& executor) {
    auto const visits = zero_counts(executor, 1000);
    auto const options = run_options().capacity<visit<8>>(1, 0, 2);
    check_fault<queue_full>(executor, "visit<8>", [&] {
        run(executor, options, seed<push_ranges<8>>(numbers_below(9)), push_ranges<8>{visits.data()},
            visit<8>{visits.data()});
    });
}

template <class Executor>
void check_seeds_that_do_not_fit(Executor& executor) {
    auto const visits = zero_counts(executor, 100);
    auto check = [&](run_options const& options, auto const& seeds) {
        check_fault<queue_full>(executor, "visit<1>", [&] { run(executor, options, seeds, visit<1>{visits.data()}); });
    };
    check(run_options().capacity<visit<1>>(64), seed<visit<1>>(numbers_below(65)));
    check(run_options().capacity<visit<1>>(0), seed<visit<1>>(1));
    check(run_options().capacity<visit<1>>(1, 0, 2),
          seed_range<visit<1>>(0, 1) + seed_range<visit<1>>(1, 1) + seed_range<visit<1>>(2, 1));
    check_visits<1>(executor, 64);
}

/// Only the failure of one item ends it.
struct go_on_until {
    using item = std::int64_t;
    static constexpr int width = 4;
    static constexpr char const* name = "goes on";
    std::int64_t bad;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        if (w.rank() != 0) return;
        if (i == bad)
            w.fail(i);
        else
            w.template push<go_on_until>(i);
    }
};

template <class Executor>
void check_reported_failure(Executor& executor) {
    auto const visits = zero_counts(executor, 40);
    check_fault<task_error>(executor, "task 'fails' failed with code 113", [&] {
        run(executor, seed<fail_on>(numbers_below(40)), fail_on{visits.data(), 13});
    });
    for (count_t const n : visits.to_host()) EXPECT_LE(n, 1);
    check_fault<task_error>(executor, "task 'goes on' failed with code 33",
                            [&] { run(executor, seed<go_on_until>(numbers_below(40)), go_on_until{33}); });
    // The first of many failures is kept.
    check_fault<task_error>(executor, "task 'fails' failed with code 107", [&] {
        run(executor, seed<fail_on>(std::vector<std::int64_t>(40, 7)), fail_on{visits.data(), 7});
    });
    run(executor, seed<fail_on>(numbers_below(40)), fail_on{visits.data(), -1});
}

template <class Executor>
void check_zero_items(Executor& executor) {
    auto const visits = zero_counts(executor, 1);
    check_survival(executor, [&] {
        auto const none = seed<visit<1>>(std::vector<std::int64_t>()) + seed_range<visit<1>>(5, 0);
        run_report const report = run(executor, none, visit<1>{visits.data()});
        EXPECT_EQ(report.queues.at(0).items, 0);
        EXPECT_EQ(report.queues.at(0).batches, 0);
    });
    EXPECT_EQ(visits.to_host().at(0), 0);
}

/// A stop before the run, in its middle, and after its end.
template <class Executor>
void check_cancellation(Executor& executor) {
    auto const visits = zero_counts(executor, 1);
    auto const options = [](std::stop_source const& source) { return run_options().cancelled_by(source.get_token()); };
    std::stop_source before;
    before.request_stop();
    check_fault<cancelled>(executor, "the run was cancelled",
                           [&] { run(executor, options(before), seed<visit<1>>(0), visit<1>{visits.data()}); });
    EXPECT_EQ(visits.to_host().at(0), 0);

    std::stop_source during;
    bool const is_visible = visits.view().space() == memory_space::host;
    std::jthread const other([&] {
        while (is_visible && cpu_machine::load_relaxed(visits.data()) < 20) std::this_thread::yield();
        during.request_stop();
    });
    check_fault<cancelled>(executor, "the run was cancelled",
                           [&] { run(executor, options(during), seed<endless>(7), endless{visits.data()}); });

    std::stop_source after;
    auto const others = zero_counts(executor, 1);
    run(executor, options(after), seed<visit<1>>(0), visit<1>{others.data()});
    after.request_stop();
    run(executor, seed<visit<1>>(0), visit<1>{others.data()});
    EXPECT_EQ(others.to_host().at(0), 2);
}

// ---- On the host alone ----

/// Throws on one item, or on each: one lane of several does. Unless `bad` is `none`, only that ends the run.
struct throw_on {
    using item = std::int64_t;
    static constexpr int width = 4;
    static constexpr std::int64_t every = -1, none = -2;
    std::int64_t bad;
    std::atomic<int>* calls;

    template <class Worker>
    void operator()(item i, Worker& w) const {
        if ((i == bad || bad == every) && w.rank() == w.size() - 1)
            throw std::out_of_range("item " + std::to_string(bad));
        if (w.rank() == 0) ++*calls;
        if (w.rank() == 0 && bad != none) w.template push<throw_on>(i);
    }
};

template <class Executor>
void check_exceptions(Executor& executor) {
    std::atomic<int> calls{0};
    auto const run_all = [&](std::int64_t bad) {
        run(executor, seed<throw_on>(numbers_below(300)), throw_on{bad, &calls});
    };
    check_fault<std::out_of_range>(executor, "item 250", [&] { run_all(250); });
    check_fault<std::out_of_range>(executor, "item -1", [&] { run_all(throw_on::every); });
    calls = 0;
    run_all(throw_on::none);
    EXPECT_EQ(calls, 300);
}

/// Has no more memory after some allocations.
class exhausted_memory final : public forwarding_memory {
  public:
    explicit exhausted_memory(int left) : left_(left) {}
    void* allocate(std::size_t bytes) override {
        if (left_.fetch_sub(1) <= 0) throw out_of_memory(bytes, 0);
        return forwarding_memory::allocate(bytes);
    }

  private:
    std::atomic<int> left_;
};

/// Needs memory for each item.
struct allocate_for_each {
    using item = std::int64_t;
    static constexpr int width = 2;
    std::shared_ptr<memory> const* from;

    template <class Worker>
    void operator()(item i, Worker& w) const {
        if (w.rank() == 0) buffer<std::int64_t> const own(*from, 1000 + i);
    }
};

template <class Executor>
void check_memory_that_runs_out(Executor& executor) {
    std::shared_ptr<memory> const exhausted = std::make_shared<exhausted_memory>(20);
    check_fault<out_of_memory>(executor, "out of memory", [&] {
        run(executor, seed<allocate_for_each>(numbers_below(50)), allocate_for_each{&exhausted});
    });
}

/// An item as large as may be: 2^31 of them take 2^37 bytes.
struct bulky {
    struct item {
        std::int64_t words[8];
    };
    static constexpr int width = 1;
    template <class Worker>
    void operator()(item const&, Worker&) const {}
};

/// No more than 2^36 bytes of addresses while it lives.
class few_addresses {
  public:
    few_addresses() {
        getrlimit(RLIMIT_AS, &before_);
        rlimit const few{rlim_t{1} << 36, before_.rlim_max};
        setrlimit(RLIMIT_AS, &few);
    }
    ~few_addresses() { setrlimit(RLIMIT_AS, &before_); }
    few_addresses(few_addresses const&) = delete;
    few_addresses& operator=(few_addresses const&) = delete;

  private:
    rlimit before_{};
};

template <class Executor>
void check_queues_that_do_not_fit(Executor& executor) {
    auto const options = run_options().capacity<bulky>(std::int64_t{1} << 31);
    check_fault<out_of_memory>(executor, "out of memory", [&] {
        few_addresses const limit;
        run(executor, options, seed<bulky>(std::vector<bulky::item>()), bulky{});
    });
}

/// One of its lanes waits for what never comes.
struct wait_for_ever {
    using item = std::int64_t;
    static constexpr int width = 2;
    std::int64_t const* flag;

    template <class Worker>
    void operator()(item, Worker& w) const {
        using machine = typename Worker::machine;
        if (w.rank() == 1)
            while (machine::load_relaxed(flag) == 0) machine::pause();
        w.sync();
    }
};

/// Two queues hold something at once, so there are two launches at least.
template <class Executor>
void run_two_queues(Executor& executor) {
    std::vector<count_t> grown(200, 0), visited(50, 0);
    run(executor, seed<grow<8>>(0) + seed_range<visit<1>>(0, 50), grow<8>{grown.data(), 200, 7},
        visit<1>{visited.data()});
    EXPECT_EQ(grown, std::vector<count_t>(200, 1));
    EXPECT_EQ(visited, std::vector<count_t>(50, 1));
}

template <class Provider>
concept emulates = requires {
    Provider::mode;
};

template <class Provider>
class faults : public suite_on<Provider> {
  protected:
    static constexpr bool on_host = requires { Provider::on_host; };
    static constexpr bool explores = [] {
        if constexpr (emulates<Provider>)
            return Provider::mode == emulation::explore;
        else
            return false;
    }();
    static constexpr bool fails_to_launch = emulates<Provider> && Provider::launches;
};
TYPED_TEST_SUITE_P(faults);

TYPED_TEST_P(faults, a_queue_is_full) {
    TypeParam::with_each(4, [](auto& executor) { check_full_queue(executor, 1); });
}
TYPED_TEST_P(faults, a_queue_is_full_and_every_worker_produces) {
    TypeParam::with_each(10, [](auto& executor) { check_full_queue(executor, 200); });
}
TYPED_TEST_P(faults, the_ranges_are_full) {
    TypeParam::with_each(10, [](auto& executor) { check_full_ranges(executor); });
}
TYPED_TEST_P(faults, the_seeds_do_not_fit) {
    TypeParam::with_each(25, [](auto& executor) { check_seeds_that_do_not_fit(executor); });
}
TYPED_TEST_P(faults, the_queues_do_not_fit) {
    // The sanitizers' shadows take more addresses.
    if constexpr (TestFixture::on_host && !COPSE_THREAD_SANITIZER && !COPSE_ADDRESS_SANITIZER)
        TypeParam::with_each(100, [](auto& executor) { check_queues_that_do_not_fit(executor); });
}
TYPED_TEST_P(faults, memory_runs_out_in_a_task) {
    if constexpr (TestFixture::on_host)
        TypeParam::with_each(10, [](auto& executor) { check_memory_that_runs_out(executor); });
}
TYPED_TEST_P(faults, a_task_reports_failure) {
    TypeParam::with_each(10, [](auto& executor) { check_reported_failure(executor); });
}
TYPED_TEST_P(faults, a_task_throws) {
    if constexpr (TestFixture::on_host) TypeParam::with_each(10, [](auto& executor) { check_exceptions(executor); });
}
TYPED_TEST_P(faults, a_launch_fails) {
    if constexpr (TestFixture::fails_to_launch) {
        for (std::int64_t const launch : {0, 1})
            TypeParam::with_each(10,
                                 [](auto& executor) {
                                     check_fault<cuda_error>(executor, "CUDA error 719",
                                                             [&] { run_two_queues(executor); });
                                 },
                                 {.faults = {.failing = launch, .code = 719}});
    }
}
TYPED_TEST_P(faults, there_is_no_room_for_a_launch) {
    if constexpr (TestFixture::fails_to_launch)
        TypeParam::with_each(10, [](auto& executor) { check_survival(executor, [&] { run_two_queues(executor); }); },
                             {.faults = {.busy_every = 2}});
}
/// The host controller waits, and they start in the end. With the device controller the late launch may be one of a
/// queue that has blocks already, which do all of its work.
TYPED_TEST_P(faults, a_launched_block_does_not_start) {
    if constexpr (TestFixture::fails_to_launch) {
        bool has_stalled = false;
        int const most_tries = TypeParam::controlled_by == controller::device ? 20 : 1;
        for (int tries = 0; tries < most_tries && !has_stalled; ++tries)
            TypeParam::with_each(10,
                                 [&](auto& executor) {
                                     time_limit const limit;
                                     try {
                                         run_two_queues(executor);
                                     } catch (stalled const& e) {
                                         EXPECT_NE(std::string(e.what()).find("50 ms"), std::string::npos) << e.what();
                                         has_stalled = true;
                                     }
                                     check_next_job(executor);
                                 },
                                 {.stall_seconds = 0.05, .faults = {.late = 1}});
        EXPECT_EQ(has_stalled, TypeParam::controlled_by == controller::device);
    }
}
TYPED_TEST_P(faults, a_lane_waits_for_ever) {
    if constexpr (TestFixture::explores)
        TypeParam::with_each(10,
                             [](auto& executor) {
                                 std::int64_t const flag = 0;
                                 check_fault<error>(executor, "no task function has returned for 20000 steps", [&] {
                                     run(executor, seed<wait_for_ever>(1), wait_for_ever{&flag});
                                 });
                             },
                             {.step_limit = 20'000});
}
TYPED_TEST_P(faults, a_stop_is_requested) {
    TypeParam::with_each(25, [](auto& executor) { check_cancellation(executor); });
}
TYPED_TEST_P(faults, there_are_no_items) {
    TypeParam::with_each(10, [](auto& executor) { check_zero_items(executor); });
}
/// The other 10^7 in explore mode are a part of `tests/run --soak`.
TYPED_TEST_P(faults, many_items_pass_through_64_slots) {
    std::int64_t const count = TestFixture::explores  ? 200'000
                               : emulates<TypeParam>  ? 20'000
                               : TestFixture::on_host ? (COPSE_THREAD_SANITIZER ? 200'000 : 10'000'000)
                                                      : 1'000'000;
    TypeParam::with_each(100,
                         [&](auto& executor) { check_survival(executor, [&] { check_64_slots(executor, count); }); });
}
TYPED_TEST_P(faults, every_worker_produces) {
    TypeParam::with_each(10, [](auto& executor) { check_survival(executor, [&] { check_producers(executor); }); });
}

REGISTER_TYPED_TEST_SUITE_P(faults, a_queue_is_full, a_queue_is_full_and_every_worker_produces, the_ranges_are_full,
                            the_seeds_do_not_fit, the_queues_do_not_fit, memory_runs_out_in_a_task,
                            a_task_reports_failure, a_task_throws, a_launch_fails, there_is_no_room_for_a_launch,
                            a_launched_block_does_not_start, a_lane_waits_for_ever, a_stop_is_requested,
                            there_are_no_items, many_items_pass_through_64_slots, every_worker_produces);

}  // namespace copse::tests
