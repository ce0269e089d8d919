#include <copse/runtime/cancellable.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

/// The threads that run the loop, by index.
template <class Executor>
std::vector<std::thread::id> threads_of_loop(Executor const& executor, std::int64_t count, std::int64_t chunk) {
    std::vector<std::thread::id> threads(static_cast<std::size_t>(count));
    std::atomic<std::int64_t> begun{0};
    detail::on_threads_of(executor, [&] {
        detail::parallel_for(count, chunk, [&](std::int64_t i) {
            threads[static_cast<std::size_t>(i)] = std::this_thread::get_id();
            // No share is done before all threads are here: nobody has to help others.
            if (++begun <= executor.threads())
                while (begun < executor.threads()) std::this_thread::yield();
        });
    });
    return threads;
}

TEST(parallel_for, runs_each_share_on_the_executors_thread_of_that_number) {
    cpu const executor(3);
    std::vector<std::thread::id> ranks(3);
    team_of(executor).run([&](int rank) { ranks[static_cast<std::size_t>(rank)] = std::this_thread::get_id(); });
    auto const threads = threads_of_loop(executor, 3, 1);
    EXPECT_EQ(threads, ranks);
}

TEST(parallel_for, ends_when_a_stop_is_requested_of_the_scope) {
    cpu const executor(3);
    std::atomic<int> begun{0};
    std::stop_source source;
    auto const loop = [&] {
        detail::parallel_for(100'000, 10, [&](std::int64_t) {
            ++begun;
            source.request_stop();
        });
    };
    for (bool const on_team : {false, true}) {
        source = {};
        begun = 0;
        cancellable const scope(source.get_token());
        EXPECT_THROW(on_team ? detail::on_threads_of(executor, loop) : loop(), cancelled);
        EXPECT_LE(begun, 10 * std::max(3, detail::most_loop_threads()));  // a chunk of each thread
        {
            cancellable const inner((std::stop_token()));  // the innermost one holds
            detail::parallel_for(100, 10, [](std::int64_t) {});
        }
        EXPECT_THROW(loop(), cancelled);  // at once
    }
    begun = 0;
    detail::on_threads_of(executor, loop);  // its scope has ended
    EXPECT_EQ(begun, 100'000);
}

TEST(parallel_for, keeps_short_loops_on_the_callers_thread) {
    cpu const executor(3);
    detail::on_threads_of(executor, [] {
        detail::parallel_for(100, 100, [caller = std::this_thread::get_id()](std::int64_t) {
            EXPECT_EQ(std::this_thread::get_id(), caller);
        });
    });
}

TEST(parallel_for, is_serial_inside_another_and_inside_a_task) {
    cpu const executor(2);
    std::atomic<int> calls{0};
    detail::on_threads_of(executor, [&] {
        detail::parallel_for(4, 1, [&](std::int64_t) {
            auto const caller = std::this_thread::get_id();
            detail::on_threads_of(executor, [&] {
                detail::parallel_for(10, 1, [&](std::int64_t) {
                    EXPECT_EQ(std::this_thread::get_id(), caller);
                    ++calls;
                });
            });
        });
    });
    EXPECT_EQ(calls, 40);
}

TEST(parallel_for, gives_the_threads_back) {
    cpu const executor(2);
    detail::on_threads_of(executor, [&] { EXPECT_EQ(detail::loop_team::current(), &team_of(executor)); });
    EXPECT_EQ(detail::loop_team::current(), nullptr);
    EXPECT_THROW(detail::on_threads_of(executor, [] { throw std::runtime_error("loop"); }), std::runtime_error);
    EXPECT_EQ(detail::loop_team::current(), nullptr);
}

TEST(parallel_for, goes_through_all_indices_for_executors_without_threads_of_their_own) {
    emulated const executor;
    std::vector<std::atomic<int>> times(1000);
    detail::on_threads_of(executor, [&] {
        detail::for_stretches(1000, 7, [&](std::int64_t first, std::int64_t last) {
            EXPECT_LE(last - first, 7);
            for (std::int64_t i = first; i < last; ++i) ++times[static_cast<std::size_t>(i)];
        });
    });
    for (auto const& n : times) ASSERT_EQ(n, 1);
}

TEST(parallel_for, rethrows_what_a_body_threw_and_makes_a_state_for_each_thread) {
    cpu const executor(3);
    std::atomic<int> states{0}, bodies{0};
    auto const loop = [&] {
        detail::parallel_for(
            1000, 1, [&] { return ++states; },
            [&](int, std::int64_t i) {
                ++bodies;
                if (i == 10) throw std::out_of_range("index 10");
            });
    };
    EXPECT_THROW(detail::on_threads_of(executor, loop), std::out_of_range);
    EXPECT_LE(states, 3);
    EXPECT_GE(bodies, 1);
    EXPECT_LE(bodies, 1000);
}

/// Starts a run from a task function.
struct run_in_a_task {
    using item = int;
    static constexpr int width = 1;
    static constexpr char const* name = "run in a task";
    cpu* executor;

    template <class Worker>
    void operator()(int depth, Worker&) const {
        if (depth > 0) run(*executor, seed<run_in_a_task>(depth - 1), *this);
    }
};

TEST(cpu, refuses_a_run_from_a_task_of_its_own) {
    cpu executor(2);
    run_in_a_task const task{&executor};
    try {
        run(executor, seed<run_in_a_task>(1), task);
        FAIL() << "nothing was thrown";
    } catch (argument_error const& e) {
        EXPECT_NE(std::string(e.what()).find("push a task instead"), std::string::npos) << e.what();
    }
    EXPECT_NO_THROW(run(executor, seed<run_in_a_task>(0), task));
    cpu other(2);
    EXPECT_NO_THROW(run(other, seed<run_in_a_task>(1), task)) << "another executor's task may";
}

}  // namespace
}  // namespace copse::tests
