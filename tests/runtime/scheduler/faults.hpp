// Faults that every executor may have, each with how it has to end (faults_suite.hpp).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <runtime/scheduler/scheduler_suite.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

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
            EXPECT_EQ(e.capacity(), detail::ring_capacity("explode", "items", seeds + 6));
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
    check_fault<queue_full>(executor, "visit<8>' is full: it has taken 2 ranges of at most 2; give it more", [&] {
        run(executor, options, seed<push_ranges<8>>(numbers_below(9)), push_ranges<8>{visits.data()},
            visit<8>{visits.data()});
    });
}

template <class Executor>
void check_seeds_that_do_not_fit(Executor& executor) {
    EXPECT_THROW(seed_range<visit<1>>(0, -1), argument_error);
    auto const visits = zero_counts(executor, 100);
    check_fault<argument_error>(executor, "visit<1>' is -1 ranges; it must lie between 0 and 2^31", [&] {
        run(executor, run_options().capacity<visit<1>>(64, 0, -1), seed<visit<1>>(1), visit<1>{visits.data()});
    });
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

/// A stop before the run, in its middle, of the thread's scope, and after its end.
template <class Executor>
void check_cancellation(Executor& executor) {
    auto const visits = zero_counts(executor, 1);
    auto const options = [](std::stop_source const& source) { return run_options().cancelled_by(source.get_token()); };
    std::stop_source before;
    before.request_stop();
    check_fault<cancelled>(executor, "cancelled: a stop was requested",
                           [&] { run(executor, options(before), seed<visit<1>>(0), visit<1>{visits.data()}); });
    EXPECT_EQ(visits.to_host().at(0), 0);

    std::stop_source during;
    bool const is_visible = visits.view().space() == memory_space::host;
    std::jthread const other([&] {
        while (is_visible && cpu_machine::load_relaxed(visits.data()) < 20) std::this_thread::yield();
        during.request_stop();
    });
    check_fault<cancelled>(executor, "cancelled: a stop was requested",
                           [&] { run(executor, options(during), seed<endless>(7), endless{visits.data()}); });

    std::stop_source around, other_source;
    check_fault<cancelled>(executor, "cancelled: a stop was requested", [&] {
        cancellable const scope(around.get_token());
        run(executor, options(other_source), seed<visit<1>>(0), visit<1>{zero_counts(executor, 1).data()});
        around.request_stop();
        run(executor, seed<endless>(7), endless{visits.data()});
    });

    std::stop_source after;
    auto const others = zero_counts(executor, 1);
    run(executor, options(after), seed<visit<1>>(0), visit<1>{others.data()});
    after.request_stop();
    run(executor, seed<visit<1>>(0), visit<1>{others.data()});
    EXPECT_EQ(others.to_host().at(0), 2);
}

}  // namespace copse::tests
